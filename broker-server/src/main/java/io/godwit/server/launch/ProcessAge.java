package io.godwit.server.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How long ago this process was asked to start; a build that came before it doesn't count. */
public final class ProcessAge {
    /** Seconds since the machine's start, as the launcher found them in {@link #CLOCK}. */
    private static final String LAUNCHED = "godwit.launched";

    /** Steps of 10 ms, while the kernel tells a process's start to whole seconds of the day. */
    private static final Path CLOCK = Path.of("/proc/uptime");

    private ProcessAge() {}

    /** Milliseconds. */
    public static long ms() {
        String now = null;
        try {
            now = Files.readString(CLOCK);
        } catch (IOException e) {
            // Not Linux.
        }
        long exact = between(System.getProperty(LAUNCHED), now);
        if (exact >= 0) {
            return exact;
        }
        Instant today = Instant.now();
        Instant start = ProcessHandle.current().info().startInstant().orElse(today);
        return Duration.between(start, today).toMillis();
    }

    /** -1 when one of them is unknown. */
    static long between(@Nullable String launched, @Nullable String now) {
        if (launched == null || now == null || !launched.matches("[0-9]{1,12}\\.[0-9]{2}")) {
            return -1;
        }
        int end = now.indexOf(' ');
        double seconds =
                Double.parseDouble(end < 0 ? now : now.substring(0, end))
                        - Double.parseDouble(launched);
        return seconds < 0 ? -1 : Math.round(seconds * 1000);
    }
}
