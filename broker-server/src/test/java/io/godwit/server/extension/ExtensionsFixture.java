package io.godwit.server.extension;

import io.godwit.extension.ServerInfo;
import io.godwit.server.StartFailed;
import io.godwit.server.config.ExtensionsConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Extensions in a folder, without a broker around them. Looked at only when the test says so. */
public final class ExtensionsFixture implements AutoCloseable {
    private static final long STOP_MS = 5_000;

    public final Path folder;
    final Path copies;
    final Map<String, ExtensionsConfig.OfOne> named = new HashMap<>();
    public final Set<String> required = new HashSet<>();
    final List<String> runtimeEvents = new CopyOnWriteArrayList<>();
    final List<FakeRuntime> runtimes = new CopyOnWriteArrayList<>();

    /** What was told, one list for each change. */
    final List<List<RunningExtension>> told = new CopyOnWriteArrayList<>();

    long startMs = 20_000;
    long stopMs = 20_000;
    long watchMs;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private @Nullable Extensions extensions;

    public ExtensionsFixture(Path root) throws IOException {
        folder = Files.createDirectories(root.resolve("extensions"));
        copies = root.resolve("copies");
    }

    private Extensions made() {
        return new Extensions(
                new LoadedExtension.Surroundings(
                        new ExtensionsConfig(folder, watchMs, named),
                        new ServerInfo("0.1.0", "n1", Path.of("data")),
                        FakeRuntime.noting(runtimeEvents, runtimes),
                        copies,
                        new LoadedExtension.Times(startMs, stopMs),
                        Map.of()),
                required,
                Set.of("SCRAM-SHA-256"),
                told::add,
                (ms, task) -> timer.scheduleWithFixedDelay(task, ms, ms, TimeUnit.MILLISECONDS),
                Instant::now);
    }

    public ExtensionsFixture start() throws StartFailed {
        Extensions made = made();
        extensions = made;
        made.start();
        return this;
    }

    public Extensions extensions() {
        return Objects.requireNonNull(extensions, "start() first");
    }

    /** Has the folder looked at twice, so that a change counts. */
    void lookTwice() throws Exception {
        extensions().lookLater().get();
        extensions().lookLater().get();
    }

    ExtensionStatus state(String id) {
        return extensions().states().stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no extension " + id));
    }

    /** What was told last. */
    List<RunningExtension> running() {
        return told.isEmpty() ? List.of() : told.getLast();
    }

    List<String> runningIds() {
        return running().stream().map(each -> each.registered().extension().id()).toList();
    }

    List<String> log(String id) throws IOException {
        Path log = folder.resolve(id).resolve(TestExtension.LOG);
        return Files.exists(log) ? Files.readAllLines(log) : List.of();
    }

    @Override
    public void close() {
        if (extensions != null) {
            extensions.stop(STOP_MS);
        }
        timer.shutdownNow();
    }
}
