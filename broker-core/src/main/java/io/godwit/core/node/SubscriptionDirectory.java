package io.godwit.core.node;

import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.index.SubscribeRequest;
import io.godwit.core.index.UnsubscribeRequest;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.Subscription;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Answers questions about the subscriptions of this node's sessions, and changes them, from any
 * thread.
 */
public final class SubscriptionDirectory {
    /** A number that no packet of a client has to do with: the answer goes to nobody's socket. */
    private static final int PACKET_ID = 1;

    private final ClientDirectory clients;

    public SubscriptionDirectory(ClientDirectory clients) {
        this.clients = clients;
    }

    /**
     * Reads subscriptions of a session, in the order of their filters.
     *
     * @param after only those behind this filter; null: all
     * @param max how many at most
     * @return empty when there is no session
     */
    public CompletableFuture<Optional<List<Packet.Subscription>>> of(
            ClientId clientId, @Nullable TopicFilter after, int max) {
        CompletableFuture<Optional<List<Packet.Subscription>>> answer = new CompletableFuture<>();
        clients.onOwner(
                clientId,
                (owner, session) ->
                        answer.complete(
                                Optional.of(
                                        session.subscriptions().all().stream()
                                                .filter(each ->
                                                        after == null
                                                                || each.filter.compareTo(after) > 0)
                                                .sorted(
                                                        Comparator.comparing(
                                                                (Subscription each) -> each.filter))
                                                .limit(max)
                                                .map(SubscriptionDirectory::shown)
                                                .toList())),
                () -> answer.complete(Optional.empty()));
        return answer;
    }

    private static Packet.Subscription shown(Subscription of) {
        return new Packet.Subscription(of.filter, of.qos, of.noLocal, of.retainAsPublished, 0);
    }

    /**
     * Subscribes for a client as its SUBSCRIBE would, but for its rules; connected or not.
     *
     * @param asked at least one, with filters that are sound
     * @return the codes of SUBACK, when it would be sent; empty when there is no session
     */
    public CompletableFuture<Optional<byte[]>> subscribe(
            ClientId clientId, List<Packet.Subscription> asked) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        Packet.Subscribe packet = new Packet.Subscribe(PACKET_ID, asked, 0, Properties.NONE);
        clients.onOwner(
                clientId,
                (owner, session) -> {
                    try {
                        SubscribeRequest.begin(
                                session.subscribing(),
                                new ServiceSubscriber(owner, session, answer),
                                session,
                                packet);
                    } catch (ProtocolViolation notOffered) {
                        answer.completeExceptionally(notOffered);
                    }
                },
                () -> answer.complete(new byte[0]));
        return answer.thenApply(SubscriptionDirectory::codes);
    }

    /**
     * Unsubscribes for a client as its UNSUBSCRIBE would, connected or not.
     *
     * @param filters at least one
     * @return the codes of UNSUBACK, when it would be sent; empty when there is no session
     */
    public CompletableFuture<Optional<byte[]>> unsubscribe(
            ClientId clientId, List<TopicFilter> filters) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        Packet.Unsubscribe packet = new Packet.Unsubscribe(PACKET_ID, filters, Properties.NONE);
        clients.onOwner(
                clientId,
                (owner, session) ->
                        UnsubscribeRequest.begin(
                                session.subscribing(),
                                new ServiceSubscriber(owner, session, answer),
                                session,
                                packet),
                () -> answer.complete(new byte[0]));
        return answer.thenApply(SubscriptionDirectory::codes);
    }

    private static Optional<byte[]> codes(byte[] codes) {
        return codes.length == 0 ? Optional.empty() : Optional.of(codes);
    }

    /**
     * One that matches a topic.
     *
     * @param subscription whose session has the client id
     */
    public record Match(ClientId clientId, Packet.Subscription subscription) {}

    /**
     * Some that match a topic.
     *
     * @param last client id that was looked at; null: none was
     * @param isEnd whether no client ids follow
     */
    public record Matches(List<Match> found, @Nullable ClientId last, boolean isEnd) {}

    /**
     * Reads the subscriptions that match a topic of the next sessions, those of shared groups, too.
     *
     * @param after the last client id of those before; null: none
     * @param sessions that are looked at, at most
     */
    public CompletableFuture<Matches> matching(
            Topic topic, @Nullable ClientId after, int sessions) {
        return clients.idsAfter(after, sessions)
                .thenCompose(ids -> {
                    List<CompletableFuture<List<Match>>> parts = new ArrayList<>();
                    ids.ids().forEach(each -> parts.add(matching(topic, each)));
                    return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
                            .thenApply(done -> {
                                List<Match> found = new ArrayList<>();
                                parts.forEach(each -> found.addAll(each.join()));
                                return new Matches(
                                        found,
                                        ids.ids().isEmpty() ? null : ids.ids().getLast(),
                                        ids.isEnd());
                            });
                });
    }

    private CompletableFuture<List<Match>> matching(Topic topic, ClientId clientId) {
        CompletableFuture<List<Match>> answer = new CompletableFuture<>();
        clients.onOwner(
                clientId,
                (owner, session) -> {
                    List<Match> found = new ArrayList<>(0);
                    if (session.subscriptionCount() > 0) {
                        for (Subscription each : session.subscriptions().all()) {
                            if (matches(each.filter.matchFilter().bytes(), topic.bytes())) {
                                found.add(new Match(clientId, shown(each)));
                            }
                        }
                    }
                    answer.complete(found);
                },
                () -> answer.complete(List.of()));
        return answer;
    }

    /** Whether a filter, without the name of a group, matches a topic (MQTT 5.0, 4.7). */
    static boolean matches(byte[] filter, byte[] topic) {
        int f = 0;
        int t = 0;
        if (topic.length > 0 && topic[0] == '$' && filter.length > 0 && isWildcard(filter[0])) {
            return false; // [MQTT-4.7.2-1]
        }
        while (f < filter.length && filter[f] != '#') {
            if (filter[f] == '+') {
                while (t < topic.length && topic[t] != '/') {
                    t++;
                }
                f++;
            } else if (t < topic.length && topic[t] == filter[f]) {
                t++;
                f++;
            } else {
                // The parent of a level with a wildcard for all matches, too: a/# and a.
                return t == topic.length
                        && f == filter.length - 2
                        && filter[f] == '/'
                        && filter[f + 1] == '#';
            }
        }
        return f < filter.length || t == topic.length;
    }

    private static boolean isWildcard(byte first) {
        return first == '+' || first == '#';
    }
}
