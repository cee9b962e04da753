package io.godwit.benchmarks.load;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The memory of a broker at one moment. Of a JVM: what lives on the heap after a full collection,
 * plus what is resident outside the heap. Of any other process: what is resident.
 *
 * @param liveBytes objects on the heap after a full collection; 0 without a JVM
 * @param outsideBytes VmRSS less the heap mapping's Rss
 * @param classes live bytes by class
 */
public record Footprint(long liveBytes, long outsideBytes, Map<String, Long> classes) {
    /** A heap, or a generation of one, with its use in KB and its address range. */
    private static final Pattern HEAP =
            Pattern.compile("total .*used (\\d+)K.*\\[0x([0-9a-f]+),.* 0x([0-9a-f]+)\\)");

    private static final long SETTLE_MS = 3_000;
    private static final Pattern HISTOGRAM_LINE = Pattern.compile("^ *\\d+: +\\d+ +(\\d+) +(\\S+)");

    /** Measures a broker that nobody uses, a while later. */
    public static Footprint settled(BrokerProcess broker) throws IOException {
        Filling.pause(SETTLE_MS);
        return of(broker.pid());
    }

    static Footprint of(long pid) throws IOException {
        Optional<Jcmd> jvm = Jcmd.of(pid);
        if (jvm.isEmpty()) return new Footprint(0, ProcFs.residentBytes(pid), Map.of());
        Map<String, Long> classes = histogram(jvm.get().run("GC.class_histogram"));
        jvm.get().run("GC.run");
        String info = jvm.get().run("GC.heap_info");
        Matcher heap = HEAP.matcher(info);
        long live = 0;
        long heapResident = 0;
        while (heap.find()) {
            live += Long.parseLong(heap.group(1)) * 1024;
            heapResident +=
                    ProcFs.residentBytes(
                            pid,
                            Long.parseLong(heap.group(2), 16),
                            Long.parseLong(heap.group(3), 16));
        }
        if (live == 0) throw new IOException("no heap in: " + info);
        return new Footprint(live, ProcFs.residentBytes(pid) - heapResident, classes);
    }

    public long bytes() {
        return liveBytes + outsideBytes;
    }

    /** By how much the objects of a class have grown since {@code before}. */
    Map<String, Long> grownSince(Footprint before) {
        Map<String, Long> grown = new HashMap<>(classes);
        before.classes.forEach((name, bytes) -> grown.merge(name, -bytes, Long::sum));
        return grown;
    }

    private static Map<String, Long> histogram(String text) {
        Map<String, Long> classes = new HashMap<>();
        for (String line : text.lines().toList()) {
            Matcher matcher = HISTOGRAM_LINE.matcher(line);
            if (matcher.find())
                classes.merge(matcher.group(2), Long.parseLong(matcher.group(1)), Long::sum);
        }
        return classes;
    }
}
