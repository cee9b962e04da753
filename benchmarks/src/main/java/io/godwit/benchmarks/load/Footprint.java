package io.godwit.benchmarks.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
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
record Footprint(long liveBytes, long outsideBytes, Map<String, Long> classes) {
    /** A heap, or a generation of one, with its use in KB and its address range. */
    private static final Pattern HEAP =
            Pattern.compile("total .*used (\\d+)K.*\\[0x([0-9a-f]+),.* 0x([0-9a-f]+)\\)");

    private static final Pattern HISTOGRAM_LINE = Pattern.compile("^ *\\d+: +\\d+ +(\\d+) +(\\S+)");

    static Footprint of(long pid) throws IOException {
        Path binary = Path.of("/proc", Long.toString(pid), "exe").toRealPath();
        if (!binary.endsWith("java")) return new Footprint(0, ProcFs.residentBytes(pid), Map.of());
        Path jcmd = binary.resolveSibling("jcmd");
        if (!Files.exists(jcmd)) jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        Map<String, Long> classes = histogram(run(jcmd, pid, "GC.class_histogram"));
        run(jcmd, pid, "GC.run");
        String info = run(jcmd, pid, "GC.heap_info");
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

    long bytes() {
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

    private static String run(Path jcmd, long pid, String command) throws IOException {
        Process process =
                new ProcessBuilder(jcmd.toString(), Long.toString(pid), command)
                        .redirectErrorStream(true)
                        .start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
