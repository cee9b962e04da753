package io.godwit.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How rounds end whose broker runs on a {@link DiskFault}. */
final class DiskEndings {
    private static final long FAULT_LIMIT_MS = 60_000;
    private static final long EXIT_LIMIT_MS = 60_000;
    private static final long TABLE_LIMIT_MS = 1_500;
    private static final long SEGMENT_LIMIT_MS = 4_000;

    /** So that segments are soon used again, and rows are written all the time. */
    static final List<String> SMALL_JOURNAL =
            List.of("durability.journal-max=32MiB", "durability.window=100ms");

    private DiskEndings() {}

    /**
     * The power goes, by turns: when another segment of the journal was begun, when a table was, at
     * any moment.
     */
    static Endings.Ending powerCut(DiskFault disk) {
        return powerCut(disk, PowerCut.Survivors.values());
    }

    /**
     * @param survivors what may become of what was not synced
     */
    static Endings.Ending powerCut(DiskFault disk, PowerCut.Survivors... survivors) {
        return stage -> {
            switch (stage.scene().history().round() % 3) {
                case 0 -> awaitNew(stage, SEGMENT_LIMIT_MS, () -> segmentList(disk.folder()));
                case 1 -> awaitNew(stage, TABLE_LIMIT_MS, () -> tables(disk.folder()));
                default -> {}
            }
            Endings.kill(stage);
            stage.scene().tally().count(Happening.POWER_CUTS);
            PowerCut.of(
                    disk.folder(), disk.record(), survivors, stage.random(), stage.scene().tally());
        };
    }

    private static void awaitNew(Endings.Stage stage, long limitMs, Supplier<Set<?>> seen) {
        Set<?> before = seen.get();
        stage.crowd().runUntil(() -> !before.containsAll(seen.get()), limitMs);
    }

    private static Set<?> tables(Path folder) {
        return files(folder, file -> file.toString().endsWith(".sst"), file -> file);
    }

    /** The journal's list of its segments is a new file whenever one is begun. */
    private static Set<?> segmentList(Path folder) {
        return files(
                folder,
                file -> file.endsWith("segments"),
                file -> file.toFile().lastModified() + " " + file.toFile().length());
    }

    private static Set<?> files(
            Path folder, Predicate<Path> wanted, Function<Path, Object> identity) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(wanted).map(identity).collect(Collectors.toSet());
        } catch (IOException | UncheckedIOException e) {
            return Set.of(); // a file that went while we looked
        }
    }

    /**
     * Writes or syncs begin to fail: the broker ends by itself, not with 0, and says why.
     *
     * @param half whether the first failing write has written half of its bytes
     */
    static Endings.Ending fault(
            DiskFault disk,
            DiskFault.Call call,
            DiskFault.Which which,
            DiskFault.Error error,
            boolean half) {
        return stage -> {
            Process process = stage.broker().process().process();
            long failuresBefore = disk.failures();
            disk.fail(call, which, error, stage.random().nextInt(5), half);
            boolean met =
                    stage.crowd().runUntil(() -> disk.failures() > failuresBefore, FAULT_LIMIT_MS);
            boolean ended = met && stage.crowd().runUntil(() -> !process.isAlive(), EXIT_LIMIT_MS);
            stage.broker().kill();
            stage.crowd().brokerIsGone();
            stage.scene().checker().killed();
            disk.heal();
            String what = call + " of " + which + " with " + error;
            if (!met) {
                Endings.report(stage, "never met the fault: " + what);
            } else if (!ended) {
                Endings.report(stage, "went on after the fault: " + what);
            } else {
                stage.scene().tally().count(Happening.FAULTS);
                checkWords(stage, process.exitValue(), error, what);
            }
        };
    }

    private static void checkWords(
            Endings.Stage stage, int exitCode, DiskFault.Error error, String what) {
        List<String> output = stage.broker().process().output();
        if (exitCode == 0 || exitCode > 128) {
            Endings.report(stage, "ended with exit code " + exitCode + " after: " + what);
        }
        String words =
                error.text.toLowerCase(Locale.ROOT); // They stand in the middle of a sentence.
        boolean clear =
                output.stream()
                        .anyMatch(line ->
                                line.contains("ERROR")
                                        && line.toLowerCase(Locale.ROOT).contains(words));
        if (!clear) {
            Endings.report(stage, "has no ERROR line with \"" + error.text + "\" for: " + what);
        }
    }
}
