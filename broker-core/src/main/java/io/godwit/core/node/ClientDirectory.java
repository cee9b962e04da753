package io.godwit.core.node;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.review.SessionEvents;
import io.godwit.core.session.ClientLink;
import io.godwit.core.session.ClientOrder;
import io.godwit.core.session.Session;
import io.godwit.core.session.SessionInfo;
import io.godwit.core.takeover.Registrar;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers questions about the clients of this node, and disconnects them, from any thread. The
 * shards answer in slices, so that asking holds nobody up. A shard that has stopped never answers:
 * give the future a time-out.
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
     * Finds the sessions that come first in an order. Each shard remembers no more than the limit.
     *
     * @param limit from 1
     * @param elsewhere runs the part that needs no shard
     */
    public CompletableFuture<List<ClientId>> first(
            ClientOrder order, boolean isDescending, int limit, Executor elsewhere) {
        List<CompletableFuture<FirstClients>> parts = new ArrayList<>();
        for (BrokerShard shard : shards) {
            CompletableFuture<FirstClients> part = new CompletableFuture<>();
            FirstClients first = new FirstClients(isDescending, limit);
            shard.execute(() ->
                    shard.sessions()
                            .walk(
                                    session -> first.offer(order.of(session), session.clientId()),
                                    () -> part.complete(first)));
            parts.add(part);
        }
        return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
                .thenApplyAsync(
                        done -> {
                            FirstClients all = new FirstClients(isDescending, limit);
                            parts.forEach(part -> all.offerAll(part.join()));
                            return all.inOrder();
                        },
                        elsewhere);
    }

    /**
     * Reads the next client ids that have sessions here, connected or not, in an order of this node
     * that stays as long as it runs. A session that is there all the time is found once.
     *
     * @param after the last one that was read before; null: none. It need not be there any more
     * @param max from 1
     */
    public CompletableFuture<ClientIds> idsAfter(@Nullable ClientId after, int max) {
        CompletableFuture<ClientIds> answer = new CompletableFuture<>();
        idsFrom(after == null ? 0 : after.slot(), after, max, new ArrayList<>(), answer);
        return answer;
    }

    /**
     * @param slot to begin with: that of the one before, or the first one of a shard
     */
    private void idsFrom(
            int slot,
            @Nullable ClientId after,
            int max,
            List<ClientId> found,
            CompletableFuture<ClientIds> answer) {
        BrokerShard registrar = shards[slot % shards.length];
        registrar.execute(() -> {
            ClientId last = after;
            for (int next = slot; next < ClientId.SLOTS; next += shards.length) {
                if (!registrar.registrar().addClientIds(next, last, max, found)
                        || found.size() >= max) {
                    answer.complete(new ClientIds(found, false));
                    return;
                }
                last = null;
            }
            int nextShard = slot % shards.length + 1;
            if (nextShard == shards.length) {
                answer.complete(new ClientIds(found, true));
            } else {
                idsFrom(nextShard, null, max, found, answer);
            }
        });
    }

    /**
     * Some client ids of this node.
     *
     * @param isEnd whether none follow
     */
    public record ClientIds(List<ClientId> ids, boolean isEnd) {}

    /**
     * Describes one session.
     *
     * @param subscriptionsMax of its subscriptions at most so many are listed
     * @return empty when there is no session of this client id
     */
    public CompletableFuture<Optional<SessionInfo>> find(ClientId clientId, int subscriptionsMax) {
        CompletableFuture<Optional<SessionInfo>> answer = new CompletableFuture<>();
        onOwner(
                clientId,
                ATTEMPTS,
                (owner, session) ->
                        answer.complete(Optional.of(SessionInfo.of(session, subscriptionsMax))),
                () -> answer.complete(Optional.empty()));
        return answer;
    }

    /**
     * Disconnects a client by administrative action (DISCONNECT 0x98); its Will is published, at
     * once or after its delay [MQTT-3.1.2-8].
     *
     * @param endsSession whether its session ends, too; completes when that is persisted
     */
    public CompletableFuture<KickResult> kick(ClientId clientId, boolean endsSession) {
        CompletableFuture<KickResult> answer = new CompletableFuture<>();
        onOwner(
                clientId,
                ATTEMPTS,
                (owner, session) -> {
                    KickResult result = kick(owner, session, endsSession);
                    owner.afterCommit(isKept -> answer.complete(result));
                },
                () -> answer.complete(KickResult.UNKNOWN));
        return answer;
    }

    private static KickResult kick(BrokerShard owner, Session session, boolean endsSession) {
        ClientLink link = session.connection();
        if (link == null && !endsSession) {
            return KickResult.OFFLINE;
        }
        if (link != null) {
            owner.counters().increment(Metric.CLOSED_ADMIN, session.version());
            // CONNACK, which is what comes before there is a connection to end, has no 0x98.
            link.fail(
                    link.isConnected() ? ReasonCode.ADMINISTRATIVE_ACTION : ReasonCode.SERVER_BUSY,
                    "disconnected by an administrator");
        }
        if (endsSession) {
            session.life().end(true, SessionEvents.Cause.ADMINISTRATOR);
        }
        return session.isEnded() ? KickResult.ENDED : KickResult.DISCONNECTED;
    }

    /**
     * Ends a client's connection; its session stays.
     *
     * @param reason of the DISCONNECT that a 5.0 client gets
     */
    public CompletableFuture<KickResult> disconnect(
            ClientId clientId, ReasonCode reason, String text, boolean publishWill) {
        CompletableFuture<KickResult> answer = new CompletableFuture<>();
        onOwner(
                clientId,
                ATTEMPTS,
                (owner, session) -> {
                    ClientLink link = session.connection();
                    if (link == null) {
                        answer.complete(KickResult.OFFLINE);
                        return;
                    }
                    owner.counters().increment(Metric.CLOSED_ADMIN, session.version());
                    link.close(
                            link.isConnected() ? reason : ReasonCode.SERVER_BUSY,
                            text,
                            publishWill);
                    owner.afterCommit(isKept ->
                            answer.complete(
                                    session.isEnded()
                                            ? KickResult.ENDED
                                            : KickResult.DISCONNECTED));
                },
                () -> answer.complete(KickResult.UNKNOWN));
        return answer;
    }

    /**
     * Runs a task on the shard that owns a session, which the registrar knows; the session may be
     * handed over meanwhile.
     */
    void onOwner(ClientId clientId, BiConsumer<BrokerShard, Session> task, Runnable whenUnknown) {
        onOwner(clientId, ATTEMPTS, task, whenUnknown);
    }

    private void onOwner(
            ClientId clientId,
            int attempts,
            BiConsumer<BrokerShard, Session> task,
            Runnable whenUnknown) {
        BrokerShard registrar = shards[Registrar.shardOf(clientId, shards.length)];
        registrar.execute(() -> {
            Session session = registrar.registrar().find(clientId);
            if (session == null || attempts == 0) {
                whenUnknown.run();
                return;
            }
            BrokerShard owner = shards[session.owner()];
            owner.execute(() -> {
                if (isOn(owner, session)) {
                    owner.enter();
                    task.accept(owner, session);
                } else {
                    onOwner(clientId, attempts - 1, task, whenUnknown);
                }
            });
        });
    }

    /**
     * Whether a session is on a shard, by that shard: it is neither on its way nor has it ended.
     */
    static boolean isOn(BrokerShard owner, Session session) {
        return session.owner() == owner.index()
                && (session.isOnline() || session.life().isOffline());
    }
}
