package io.godwit.durability;

import io.godwit.server.BrokerJvm;
import io.godwit.server.BrokerProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One broker process after the other on the same data. */
final class Node implements AutoCloseable {
    private static final List<String> JVM_FLAGS =
            Stream.concat(BrokerJvm.QUICK.stream(), Stream.of("-Dgodwit.memory.store=33554432"))
                    .toList();

    private final Path folder;
    private final String[] settings;
    private @Nullable BrokerProcess process;

    Node(Path folder, String... settings) {
        this.folder = folder;
        this.settings = settings;
    }

    /** Returns when it is ready. */
    Node up() {
        process =
                new BrokerProcess.Setup()
                        .in(folder)
                        .jvmFlags(JVM_FLAGS)
                        .set("durability.store=rocksdb", "durability.ballast=0")
                        .set("durability.disk-free=64MiB")
                        .set(settings)
                        .start();
        process.readyLine();
        return this;
    }

    /** SIGTERM; returns when the process has ended as it should. */
    void stop() {
        process().terminate();
        int code = process().exitCode();
        if (code != 0) {
            throw new AssertionError("exit code " + code + ": " + process().output());
        }
    }

    /** SIGKILL; returns when the process is gone. */
    void kill() {
        process().process().destroyForcibly();
        process().exitCode();
    }

    private BrokerProcess process() {
        if (process == null) {
            throw new IllegalStateException("was never started");
        }
        return process;
    }

    Clients clients() {
        return new Clients(() -> process().port("mqtt"));
    }

    Admin admin() {
        return new Admin(process().port("admin"));
    }

    Path data() {
        return folder.resolve("data");
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
    }
}
