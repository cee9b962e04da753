package io.godwit.core.node;

import io.godwit.core.packet.ClientId;
import io.godwit.core.session.Session;
import io.godwit.core.session.SessionInfo;
import io.godwit.core.takeover.Registrar;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Answers questions about the clients of this node, from any thread. The shards answer in slices,
 * so that asking holds nobody up. A shard that has stopped never answers: give the future a
 * time-out.
 */
public final class ClientDirectory {
    private static final int ATTEMPTS = 3;

    private final BrokerShard[] shards;

    public ClientDirectory(BrokerShard[] shards) {
        this.shards = shards.clone();
    }

    /**
     * The client ids of all sessions, connected or not, in no order.
     *
     * @param elsewhere runs the long part that needs no shard
     */
    public CompletableFuture<List<ClientId>> ids(Executor elsewhere) {
        List<CompletableFuture<List<ClientId>>> parts = new ArrayList<>();
        for (BrokerShard shard : shards) {
            CompletableFuture<List<ClientId>> part = new CompletableFuture<>();
            List<ClientId> ids = new ArrayList<>();
            shard.execute(() ->
                    shard.sessions()
                            .walk(
                                    session -> ids.add(session.clientId()),
                                    () -> part.complete(ids)));
            parts.add(part);
        }
        return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
                .thenApplyAsync(
                        done -> {
                            List<ClientId> all = new ArrayList<>();
                            for (CompletableFuture<List<ClientId>> part : parts) {
                                all.addAll(part.join());
                            }
                            return all;
                        },
                        elsewhere);
    }

    /**
     * @param subscriptionsMax of its subscriptions at most so many are listed
     * @return empty when there is no session of this client id
     */
    public CompletableFuture<Optional<SessionInfo>> find(ClientId clientId, int subscriptionsMax) {
        CompletableFuture<Optional<SessionInfo>> answer = new CompletableFuture<>();
        ask(clientId, subscriptionsMax, ATTEMPTS, answer);
        return answer;
    }

    /**
     * Asks the registrar for the session, and the session's owner about it; the session may move
     * meanwhile.
     */
    private void ask(
            ClientId clientId,
            int subscriptionsMax,
            int attempts,
            CompletableFuture<Optional<SessionInfo>> answer) {
        BrokerShard registrar = shards[Registrar.shardOf(clientId, shards.length)];
        registrar.execute(() -> {
            Session session = registrar.registrar().find(clientId);
            if (session == null || attempts == 0) {
                answer.complete(Optional.empty());
                return;
            }
            BrokerShard owner = shards[session.owner()];
            owner.execute(() -> {
                if (session.owner() == owner.index() && !session.isEnded()) {
                    answer.complete(Optional.of(SessionInfo.of(session, subscriptionsMax)));
                } else {
                    ask(clientId, subscriptionsMax, attempts - 1, answer);
                }
            });
        });
    }
}
