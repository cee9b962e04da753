package io.godwit.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How rounds end whose broker runs on a {@link DiskFault}. */
final class DiskEndings {
    private static final long FAULT_LIMIT_MS = 8_000;
    private static final long EXIT_LIMIT_MS = 15_000;
    private static final long TABLE_LIMIT_MS = 1_500;

    /** So that segments are soon used again, and rows are written all the time. */
    static final List<String> SMALL_JOURNAL =
            List.of("durability.journal-max=32MiB", "durability.window=100ms");

    private DiskEndings() {}

    /** The power goes: at any moment, or, every other time, when a table was just begun. */
    static Endings.Ending powerCut(DiskFault disk) {
        return stage -> {
            if (stage.random().nextBoolean()) {
                Set<Path> before = tables(disk.folder());
                stage.crowd()
                        .runUntil(() -> !before.containsAll(tables(disk.folder())), TABLE_LIMIT_MS);
            }
            Endings.kill(stage);
            stage.scene().tally().count(Happening.POWER_CUTS);
            PowerCut.of(disk.folder(), disk.record(), stage.random(), stage.scene().tally());
        };
    }

    private static Set<Path> tables(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".sst"))
                    .collect(Collectors.toSet());
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
        boolean clear =
                output.stream()
                        .anyMatch(line -> line.contains("ERROR") && line.contains(error.text));
        if (!clear) {
            Endings.report(stage, "has no ERROR line with \"" + error.text + "\" for: " + what);
        }
    }
}
