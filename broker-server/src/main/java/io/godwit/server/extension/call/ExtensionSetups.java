package io.godwit.server.extension.call;

import io.godwit.extension.client.Client;
import io.godwit.extension.service.ClientSetups;
import io.godwit.extension.setup.ClientSetup;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;

/** Changes what one extension has set up for clients; its answers come in its own threads. */
public final class ExtensionSetups implements ClientSetups {
    private final SetUpClients clients;
    private final ExtensionCalls calls;

    public ExtensionSetups(SetUpClients clients, ExtensionCalls calls) {
        this.clients = clients;
        this.calls = calls;
    }

    @Override
    public CompletionStage<Boolean> replace(Client client, ClientSetup setup) {
        Objects.requireNonNull(setup, "setup");
        OwnSetup own;
        try {
            own = OwnSetup.of(setup, calls);
        } catch (BadAnswer bad) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(bad.getMessage()));
        }
        SetUpClient found = clients.find(client);
        if (found == null) {
            return CompletableFuture.completedFuture(false);
        }
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        clients.replace(found, own, () -> complete(done, clients.find(client) == found));
        return done;
    }

    @Override
    public Optional<ClientSetup> current(Client client) {
        SetUpClient found = clients.find(client);
        OwnSetup own = found == null ? null : found.setups().get(calls.id());
        // Ignores a setup by an earlier version of the extension, which this one has replaced.
        return own == null || own.calls() != calls ? Optional.empty() : Optional.of(own.made());
    }

    private void complete(CompletableFuture<Boolean> done, boolean isThere) {
        try {
            calls.executor().execute(() -> done.complete(isThere));
        } catch (RejectedExecutionException e) {
            done.cancel(false); // Nobody waits for it: the extension has stopped.
        }
    }
}
