package io.godwit.benchmarks.load;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What Linux says about a process. */
public final class ProcFs {
    /** USER_HZ, which is 100 on every Linux that a JDK runs on. */
    private static final long MICROS_PER_TICK = 10_000;

    /** In the stat of a thread: the beginning of a compiler's name. */
    private static final Pattern COMPILER = Pattern.compile("\\(C[12] Compiler");

    private static final Pattern MAPPING = Pattern.compile("([0-9a-f]+)-[0-9a-f]+ [-r]");

    private ProcFs() {}

    /** utime + stime of all threads so far, in steps of 10 ms. */
    public static long cpuMicros(long pid) throws IOException {
        return ticks(pid, 11) + ticks(pid, 12);
    }

    /** The kernel's part of it, stime. */
    static long kernelMicros(long pid) throws IOException {
        return ticks(pid, 12);
    }

    /**
     * CPU time so far of a JVM's compilers; those that have ended don't count, so it is to run with
     * -XX:-UseDynamicNumberOfCompilerThreads.
     */
    public static long compilerMicros(long pid) throws IOException {
        long sum = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(proc(pid, "task"))) {
            for (Path thread : threads) {
                String stat = readIfThere(thread.resolve("stat"));
                if (COMPILER.matcher(stat).find()) sum += ticks(stat, 11) + ticks(stat, 12);
            }
        }
        return sum;
    }

    /** Empty when the thread has ended meanwhile, before or after the file was opened. */
    private static String readIfThere(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }

    private static long ticks(long pid, int field) throws IOException {
        return ticks(Files.readString(proc(pid, "stat")), field);
    }

    private static long ticks(String stat, int field) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return Long.parseLong(fields[field]) * MICROS_PER_TICK;
    }

    /** CPU time of the whole machine so far, in user and kernel mode. */
    public static long machineCpuMicros() throws IOException {
        String[] fields = Files.readAllLines(Path.of("/proc/stat")).get(0).split(" +", -1);
        long ticks = 0;
        for (int column : new int[] {1, 2, 3, 6, 7}) ticks += Long.parseLong(fields[column]);
        return ticks * MICROS_PER_TICK;
    }

    /** Bytes that the process has made the kernel write to disks so far, by the page. */
    static long writtenBytes(long pid) throws IOException {
        for (String line : Files.readAllLines(proc(pid, "io"))) {
            if (line.startsWith("write_bytes:"))
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
        }
        throw new IOException("no write_bytes of process " + pid);
    }

    public static long residentBytes(long pid) throws IOException {
        for (String line : Files.readAllLines(proc(pid, "status"))) {
            if (line.startsWith("VmRSS:")) return kilobytes(line);
        }
        throw new IOException("no VmRSS of process " + pid);
    }

    /** The resident bytes of the mappings within an address range. */
    static long residentBytes(long pid, long from, long to) throws IOException {
        long sum = 0;
        boolean inside = false;
        for (String line : Files.readAllLines(proc(pid, "smaps"))) {
            Matcher mapping = MAPPING.matcher(line);
            if (mapping.lookingAt()) {
                long start = Long.parseUnsignedLong(mapping.group(1), 16);
                inside =
                        Long.compareUnsigned(start, from) >= 0
                                && Long.compareUnsigned(start, to) < 0;
            } else if (inside && line.startsWith("Rss:")) {
                sum += kilobytes(line);
            }
        }
        return sum;
    }

    private static long kilobytes(String line) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
    }

    private static Path proc(long pid, String file) {
        return Path.of("/proc", Long.toString(pid), file);
    }
}
