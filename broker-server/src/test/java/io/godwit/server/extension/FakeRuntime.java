package io.godwit.server.extension;

import io.godwit.extension.ExtensionInfo;
import io.godwit.extension.service.ClientSetups;
import io.godwit.extension.service.ConnectionAttributes;
import io.godwit.extension.service.PublishService;
import io.godwit.extension.service.RetainedService;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** A runtime whose calls are never under way, unless the test says so. */
final class FakeRuntime implements ExtensionRuntime {
    final ExtensionInfo info;
    final ExtensionThreads threads;
    final List<String> events;
    private final ScheduledExecutorService executor;

    private FakeRuntime(
            ExtensionInfo info, ExtensionThreads threads, ClassLoader loader, List<String> events) {
        this.info = info;
        this.threads = threads;
        this.events = events;
        executor =
                Executors.newSingleThreadScheduledExecutor(task -> {
                    Thread thread = new Thread(task, "extension-" + info.id());
                    thread.setDaemon(true);
                    thread.setContextClassLoader(loader);
                    return thread;
                });
    }

    /** Makes runtimes that note in a list what is done with them. */
    static Factory noting(List<String> events, List<FakeRuntime> made) {
        return (info, threads, loader, callMs, waiting, health) -> {
            FakeRuntime runtime = new FakeRuntime(info, threads, loader, events);
            made.add(runtime);
            return runtime;
        };
    }

    static Factory plain() {
        return noting(new ArrayList<>(), new ArrayList<>());
    }

    @Override
    public ScheduledExecutorService executor() {
        return executor;
    }

    @Override
    public PublishService publishes() {
        return (message, options) -> CompletableFuture.completedFuture(null);
    }

    @Override
    public MeterRegistry meters() {
        return new SimpleMeterRegistry();
    }

    @Override
    public void pause() {
        events.add("pause " + info.id() + " " + info.version());
    }

    @Override
    public SessionServices sessions() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean awaitCalls(long timeoutMs) {
        events.add("await " + info.id() + " " + info.version());
        return true;
    }

    @Override
    public void close() {
        events.add("close " + info.id() + " " + info.version());
        executor.shutdownNow();
    }

    @Override
    public RetainedService retained() {
        throw new UnsupportedOperationException();
    }

    @Override
    public ClientSetups setups() {
        throw new UnsupportedOperationException();
    }

    @Override
    public ConnectionAttributes attributes() {
        throw new UnsupportedOperationException();
    }
}
