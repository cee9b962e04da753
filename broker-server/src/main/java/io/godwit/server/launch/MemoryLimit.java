package io.godwit.server.launch;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the machine has, and what the control groups of this process leave of it.
 *
 * @param membership {@code /proc/self/cgroup}
 * @param groups {@code /sys/fs/cgroup}
 * @param machine {@code /proc/meminfo}
 */
record MemoryLimit(Path membership, Path groups, Path machine) {
    static final MemoryLimit OF_THIS_PROCESS =
            new MemoryLimit(
                    Path.of("/proc/self/cgroup"),
                    Path.of("/sys/fs/cgroup"),
                    Path.of("/proc/meminfo"));

    /** None; version 1 of control groups writes it as a number near 2^63. */
    static final long NONE = Long.MAX_VALUE;

    private static final Pattern TOTAL = Pattern.compile("(?m)^MemTotal:\\s+(\\d+) kB$");
    private static final Pattern LIMIT = Pattern.compile("\\d{1,17}");

    /** The least limit in bytes of the groups that this process is in and of those above. */
    long container() {
        long least = NONE;
        try {
            for (String line : Files.readAllLines(membership)) {
                least = Math.min(least, ofGroup(line));
            }
        } catch (IOException e) {
            return NONE; // no control groups here
        }
        return least;
    }

    /** {@code 0::/path} is version 2, {@code 4:memory:/path} version 1. */
    private long ofGroup(String line) {
        List<String> parts = Arrays.asList(line.split(":", 3));
        if (parts.size() < 3) {
            return NONE;
        }
        String controllers = parts.get(1);
        if (controllers.isEmpty()) {
            return leastAlong(groups, parts.get(2), "memory.max");
        }
        return Arrays.asList(controllers.split(",", -1)).contains("memory")
                ? leastAlong(groups.resolve("memory"), parts.get(2), "memory.limit_in_bytes")
                : NONE;
    }

    /** A container may see its own group as the root, and its path only from outside. */
    private static long leastAlong(Path root, String path, String file) {
        long least = NONE;
        Path group = root.resolve(path.substring(Math.min(1, path.length()))).normalize();
        for (; group != null && group.startsWith(root); group = group.getParent()) {
            least = Math.min(least, read(group.resolve(file)));
        }
        return least;
    }

    private static long read(Path file) {
        try {
            String text = Files.readString(file).strip();
            return LIMIT.matcher(text).matches() ? Long.parseLong(text) : NONE;
        } catch (IOException e) {
            return NONE;
        }
    }

    /** Bytes. */
    long machineBytes() {
        try {
            Matcher total = TOTAL.matcher(Files.readString(machine));
            if (total.find()) {
                return Long.parseLong(total.group(1)) << 10;
            }
        } catch (IOException e) {
            // Not Linux.
        }
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getTotalMemorySize();
    }
}
