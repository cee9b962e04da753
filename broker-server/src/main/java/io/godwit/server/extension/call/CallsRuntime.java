package io.godwit.server.extension.call;

import io.godwit.extension.service.ClientSetups;
import io.godwit.extension.service.ConnectionAttributes;
import io.godwit.extension.service.PublishService;
import io.godwit.extension.service.RetainedService;
import io.godwit.server.extension.ExtensionRuntime;
import io.godwit.server.extension.SessionServices;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.ScheduledExecutorService;

/** Runs the code of one loaded extension in the threads of its calls. */
public final class CallsRuntime implements ExtensionRuntime {
    private final ExtensionCalls calls;
    private final PublishService publishes;
    private final OwnMeters meters;
    private final RetainedService retained;
    private final SessionServices sessions;
    private final SetUpClients clients;
    private final ClientSetups setups;
    private final ConnectionAttributes attributes;

    /**
     * @param calls of this extension alone
     * @param publishes of this extension alone
     * @param retained of this extension alone
     * @param sessions of this extension alone
     * @param clients the node's
     */
    public CallsRuntime(
            ExtensionCalls calls,
            PublishService publishes,
            RetainedService retained,
            SessionServices sessions,
            SetUpClients clients) {
        this.calls = calls;
        this.publishes = publishes;
        this.retained = retained;
        this.meters = new OwnMeters(calls.id(), calls.executor());
        this.sessions = sessions;
        this.clients = clients;
        this.setups = new ExtensionSetups(clients, calls);
        this.attributes = new ExtensionAttributes(clients);
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
    }

    @Override
    public SessionServices sessions() {
        return sessions;
    }

    @Override
    public boolean awaitCalls(long timeoutMs) throws InterruptedException {
        // Clients are reviewed by it until they have changed over to what has replaced it.
        return calls.awaitCalls(clients.awaitChanges(timeoutMs));
    }

    @Override
    public void close() {
        calls.close();
        meters.close();
        sessions.end().run();
    }

    @Override
    public ClientSetups setups() {
        return setups;
    }

    @Override
    public ConnectionAttributes attributes() {
        return attributes;
    }
}
