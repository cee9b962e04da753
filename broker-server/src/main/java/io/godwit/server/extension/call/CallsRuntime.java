package io.godwit.server.extension.call;

import io.godwit.extension.service.PublishService;
import io.godwit.extension.service.RetainedService;
import io.godwit.server.extension.ExtensionRuntime;
import io.micrometer.core.instrument.MeterRegistry;
import io.godwit.server.extension.SessionServices;
import java.util.concurrent.ScheduledExecutorService;

/** Runs the code of one loaded extension in the threads of its calls. */
public final class CallsRuntime implements ExtensionRuntime {
    private final ExtensionCalls calls;
    private final PublishService publishes;
    private final OwnMeters meters;
    private final RetainedService retained;
    private final SessionServices sessions;

    /**
     * @param calls of this extension alone
     * @param publishes of this extension alone
     * @param retained of this extension alone
     */
    public CallsRuntime(ExtensionCalls calls, PublishService publishes, RetainedService retained) {
        this.calls = calls;
        this.publishes = publishes;
        this.retained = retained;
        this.meters = new OwnMeters(calls.id(), calls.executor());
     * @param sessions of this extension alone
     */
    public CallsRuntime(ExtensionCalls calls, PublishService publishes, SessionServices sessions) {
        this.calls = calls;
        this.publishes = publishes;
        this.sessions = sessions;
    }

    public ExtensionCalls calls() {
        return calls;
    }

    @Override
    public ScheduledExecutorService executor() {
        return calls.executor();
    }

    @Override
    public PublishService publishes() {
        return publishes;
    }

    @Override
    public MeterRegistry meters() {
        return meters.registry();
    }

    @Override
    public RetainedService retained() {
        return retained;
    }

    /** Returns the meters that it has registered. */
    public OwnMeters ownMeters() {
        return meters;
    }

    @Override
    public void pause() {
        calls.pause();
    public SessionServices sessions() {
        return sessions;
    }

    @Override
    public boolean awaitCalls(long timeoutMs) throws InterruptedException {
        return calls.awaitCalls(timeoutMs);
    }

    @Override
    public void close() {
        calls.close();
        meters.close();
        sessions.end().run();
    }
}
