package io.godwit.server.command;

import io.godwit.server.Causes;
import io.godwit.server.StartFailed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The processes of a demo and the folder that they write to; both are gone afterwards, unless
 * somebody has started a node again by hand: then that one and the folder stay. A signal may end
 * them while others are still being started.
 */
final class DemoProcesses {
    private static final int READY_SECONDS = 60;
    private static final int END_SECONDS = 20;
    private static final int LAST_LINES = 5;

    private final Path folder;
    private final List<Process> running = new ArrayList<>();
    private boolean isEnded;

    DemoProcesses(Path folder) {
        this.folder = folder;
    }

    /**
     * @param log for both of its streams
     */
    synchronized Process start(Path log, String... command) throws IOException, StartFailed {
        if (isEnded) {
            throw new StartFailed("the demo has ended");
        }
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        // The operator's own configuration would be the same for every node.
        builder.environment()
                .keySet()
                .removeIf(each -> each.startsWith("GODWIT_") && !each.equals("GODWIT_JAVA_OPTS"));
        Process process =
                builder.redirectOutput(log.toFile())
                        .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                        .start();
        running.add(process);
        return process;
    }

    /**
     * @throws StartFailed when the node has ended, or is not ready after a minute; with the last
     *     lines of its log
     */
    static void awaitReady(String name, Process node, Path log)
            throws StartFailed, IOException, InterruptedException {
        long began = System.nanoTime();
        while (!text(log).contains(" is ready after ")) {
            boolean isLate = System.nanoTime() - began > TimeUnit.SECONDS.toNanos(READY_SECONDS);
            if (isLate || node.waitFor(100, TimeUnit.MILLISECONDS)) {
                List<String> lines = text(log).lines().toList();
                List<String> last =
                        lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size());
                throw new StartFailed(
                        String.join("\n", last) + "\ngodwit: " + name + " did not become ready");
            }
        }
    }

    /** What was written until now; it may end within a character. */
    private static String text(Path log) throws IOException {
        return new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
    }

    /**
     * Ends every process, by force where that takes too long, and deletes the folder.
     *
     * @param others names nodes that somebody else has started, and that use the folder
     */
    synchronized void end(Supplier<List<String>> others) {
        if (isEnded) {
            return;
        }
        isEnded = true;
        running.forEach(Process::destroy);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
        for (Process each : running) {
            awaitEnd(each, deadline);
        }
        List<String> stillRunning = others.get();
        if (!stillRunning.isEmpty()) {
            System.err.println(
                    "godwit: end "
                            + String.join(" and ", stillRunning)
                            + ", started in another terminal, there; the data stays in "
                            + folder);
            return;
        }
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (IOException | UncheckedIOException e) {
            System.err.println(
                    "godwit: " + folder + " could not be deleted: " + Causes.withFile(e));
        }
    }

    private static void awaitEnd(Process process, long deadline) {
        try {
            if (!process.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
