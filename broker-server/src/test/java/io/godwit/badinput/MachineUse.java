package io.godwit.badinput;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * How many processor cores others use while something is measured: all of the machine, without this
 * process, the processes that it has started and that have ended, and the brokers. Linux only.
 */
final class MachineUse {
    private static final double TICKS_PER_SECOND = 100;

    private final Supplier<Duration> brokersCpu;
    private final long startNanos = System.nanoTime();
    private final double othersAtStart;

    MachineUse(Supplier<Duration> brokersCpu) throws IOException {
        this.brokersCpu = brokersCpu;
        this.othersAtStart = othersSeconds();
    }

    /** The cores that others have used since this was made, on average. */
    double othersCores() throws IOException {
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        return Math.max(0, (othersSeconds() - othersAtStart) / seconds);
    }

    private double othersSeconds() throws IOException {
        return (all() - own()) / TICKS_PER_SECOND - brokersCpu.get().toMillis() / 1e3;
    }

    /**
     * Ticks of user, nice, system, interrupts and what a host has taken away; not idle or waiting.
     */
    private static long all() throws IOException {
        String[] fields =
                Files.readString(Path.of("/proc/stat"))
                        .lines()
                        .findFirst()
                        .orElseThrow()
                        .split(" +", -1);
        long sum = 0;
        for (int i : new int[] {1, 2, 3, 6, 7, 8}) {
            sum += Long.parseLong(fields[i]);
        }
        return sum;
    }

    /** Ticks of this process and of its children that have ended. */
    private static long own() throws IOException {
        String stat = Files.readString(Path.of("/proc/self/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        long sum = 0;
        for (int i = 11; i <= 14; i++) {
            sum += Long.parseLong(fields[i]);
        }
        return sum;
    }
}
