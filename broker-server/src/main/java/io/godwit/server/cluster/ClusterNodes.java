package io.godwit.server.cluster;

import io.godwit.cluster.broker.BrokerCluster;
import io.godwit.cluster.leadership.Epoch;
import io.godwit.cluster.membership.Member;
import io.godwit.cluster.membership.NodeCard;
import io.godwit.cluster.membership.Nodes;
import io.godwit.cluster.question.QuestionFailure;
import io.godwit.cluster.question.Reply;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import io.godwit.extension.service.ClusterInfo;
import io.godwit.extension.service.ServiceFailedException;
import io.godwit.server.Version;
import io.godwit.server.service.ServiceNodes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Asks the other nodes of the cluster about their sessions. */
final class ClusterNodes implements ServiceNodes {
    private final BrokerCluster routes;
    private final Supplier<Nodes> nodes;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    /** Versions of all nodes that were heard, by server id; on the thread of the links. */
    private final Map<Integer, String> versions = new HashMap<>();

    private volatile List<ClusterInfo.Member> states = List.of();

    /**
     * @param nodes the cluster as this node sees it now
     */
    ClusterNodes(BrokerCluster routes, Supplier<Nodes> nodes) {
        this.routes = routes;
        this.nodes = nodes;
    }

    @Override
    public int self() {
        return nodes.get().self().server();
    }

    @Override
    public SortedMap<Integer, String> members() {
        SortedMap<Integer, String> names = new TreeMap<>();
        for (Member each : nodes.get().members()) {
            names.put(each.server(), each.name());
        }
        return names;
    }

    /**
     * Takes what has changed; on the thread of the links.
     *
     * @param cards says what a node has said of itself; null: nothing
     */
    void changed(Nodes now, Function<NodeStart, @Nullable NodeCard> cards) {
        now.live()
                .forEach((server, start) -> {
                    NodeCard card = cards.apply(start);
                    if (card != null) {
                        versions.put(server, card.version());
                    }
                });
        List<ClusterInfo.Member> all = states(now, versions);
        if (!all.equals(states)) {
            states = all;
            listeners.forEach(Runnable::run);
        }
    }

    private static List<ClusterInfo.Member> states(Nodes now, Map<Integer, String> versions) {
        return now.members().stream()
                .map(each -> {
                    boolean isSelf = each.server() == now.self().server();
                    return new ClusterInfo.Member(
                            each.name(),
                            each.server(),
                            now.isLive(each.server()),
                            isSelf ? Version.current() : versions.getOrDefault(each.server(), ""),
                            isSelf);
                })
                .toList();
    }

    @Override
    public List<ClusterInfo.Member> states() {
        List<ClusterInfo.Member> now = states;
        return now.isEmpty() ? states(nodes.get(), Map.of()) : now;
    }

    @Override
    public void listen(Runnable onChange) {
        listeners.add(onChange);
    }

    @Override
    public void forget(Runnable onChange) {
        listeners.remove(onChange);
    }

    @Override
    public int leader(ClientId clientId) {
        NodeStart leader = routes.slots().leaders().leader(clientId.slot());
        return leader == null ? NONE : leader.server();
    }

    @Override
    public int lastLeader(ClientId clientId) {
        Epoch epoch = routes.slots().leaders().epoch(clientId.slot());
        return epoch == null ? NONE : epoch.server();
    }

    @Override
    public void findEdge(ClientId clientId, IntConsumer then) {
        routes.findEdge(clientId, edge -> then.accept(edge == null ? NONE : edge.server()));
    }

    @Override
    public CompletableFuture<byte[]> ask(int server, byte[] question) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        routes.ask(
                server,
                question,
                new Reply() {
                    @Override
                    public void onAnswer(byte[] body) {
                        answer.complete(body);
                    }

                    @Override
                    public void onFailure(QuestionFailure failure) {
                        answer.completeExceptionally(shown(failure));
                    }
                });
        return answer;
    }

    private ServiceFailedException shown(QuestionFailure failure) {
        String node =
                "node "
                        + members()
                                .getOrDefault(failure.server(), String.valueOf(failure.server()));
        return switch (failure.cause()) {
            case AWAY ->
                    new ServiceFailedException(
                            ServiceFailedException.Cause.NODE_AWAY, node + " is out of reach");
            case TIMEOUT ->
                    new ServiceFailedException(
                            ServiceFailedException.Cause.TIMEOUT,
                            node + " has not answered in time");
            case FULL ->
                    new ServiceFailedException(
                            ServiceFailedException.Cause.TOO_MUCH,
                            "as many questions to " + node + " are open as may be");
            case REFUSED ->
                    new ServiceFailedException(
                            ServiceFailedException.Cause.REFUSED, node + ": " + failure.text());
        };
    }
}
