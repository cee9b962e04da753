package io.godwit.chaos;

import io.godwit.server.BrokerJvm;
import io.godwit.server.BrokerProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The broker of a run: one process after the other in the same folder. */
final class Broker implements AutoCloseable {
    private final Path folder;
    private final List<String> settings;
    private final Map<String, String> environment;
    private @Nullable BrokerProcess process;
    private int lastStartMs = 1_000;

    /**
     * @param folder the data stands in {@code data} below
     */
    Broker(Path folder, List<String> settings, Map<String, String> environment) {
        this.folder = folder;
        this.settings = settings;
        this.environment = environment;
    }

    Path data() {
        return folder.resolve("data");
    }

    /** Starts it and waits until it is ready; fails when it does not become so. */
    void start() {
        long beganNs = System.nanoTime();
        launch();
        process().awaitReady();
        process().readyLine();
        lastStartMs = (int) ((System.nanoTime() - beganNs) / 1_000_000);
    }

    void launch() {
        process =
                new BrokerProcess.Setup()
                        .in(folder)
                        .jvmFlags(BrokerJvm.QUICK)
                        .environment(environment)
                        .set(settings.toArray(String[]::new))
                        .launch();
    }

    boolean isRunning() {
        return process != null && process.process().isAlive();
    }

    BrokerProcess process() {
        if (process == null) {
            throw new IllegalStateException("was never started");
        }
        return process;
    }

    /** SIGKILL; returns when the process is gone. */
    void kill() {
        process().process().destroyForcibly();
        process().exitCode();
    }

    /** Milliseconds that the last start took until the broker was ready. */
    int lastStartMs() {
        return lastStartMs;
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
    }
}
