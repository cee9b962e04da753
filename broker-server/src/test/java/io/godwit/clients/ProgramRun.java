package io.godwit.clients;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A program that runs, with what it has said so far; it never outlives its test. */
public final class ProgramRun implements AutoCloseable {
    private final Process process;
    private final List<String> lines = new ArrayList<>();
    private boolean ended;

    private ProgramRun(Process process) {
        this.process = process;
        Thread.ofPlatform().daemon().start(this::collect);
    }

    /**
     * @param folder where it runs, null for here
     */
    public static ProgramRun start(@Nullable Path folder, List<String> command) {
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            if (folder != null) {
                builder.directory(folder.toFile());
            }
            return new ProgramRun(builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static ProgramRun start(List<String> command) {
        return start(null, command);
    }

    Process process() {
        return process;
    }

    /** The first line that fits; fails when the program ends or the time is over before. */
    public String awaitLine(Predicate<String> wanted, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        synchronized (lines) {
            int seen = 0;
            while (true) {
                for (; seen < lines.size(); seen++) {
                    if (wanted.test(lines.get(seen))) {
                        return lines.get(seen);
                    }
                }
                long leftMs = (end - System.nanoTime()) / 1_000_000;
                if (ended || leftMs <= 0) {
                    throw new AssertionError("the line never came. " + this);
                }
                awaitMore(leftMs);
            }
        }
    }

    /** Waits for the end. Everything that it printed; fails when the time is over before. */
    public List<String> awaitEnd(Duration limit) {
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new AssertionError("still running after " + limit + ". " + this);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        synchronized (lines) {
            while (!ended) {
                awaitMore(0);
            }
            return List.copyOf(lines);
        }
    }

    public int exitCode() {
        return process.exitValue();
    }

    /** SIGKILL: no goodbye to the broker. */
    public void kill() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    @Override
    public void close() {
        kill();
    }

    @Override
    public String toString() {
        synchronized (lines) {
            return process.info().commandLine().orElse("(ended)")
                    + " said:\n"
                    + String.join("\n", lines);
        }
    }

    private void awaitMore(long ms) {
        try {
            lines.wait(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void collect() {
        try (BufferedReader out =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                synchronized (lines) {
                    lines.add(line);
                    lines.notifyAll();
                }
            }
        } catch (IOException killed) {
            // A stream that breaks ends the output like any other end.
        } finally {
            synchronized (lines) {
                ended = true;
                lines.notifyAll();
            }
        }
    }
}
