package io.godwit.cluster.takeover;

import io.godwit.cluster.takeover.TakeoverMessages.Forward;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Messages on their way to sessions that were given to other nodes: each is kept until that node
 * has it, and sent again in order when a link is new. Bounded by what publishers may have
 * unacknowledged.
 */
final class Forwards {
    /** By server id. */
    private final Map<Integer, Map<Long, Waiting>> waiting = new HashMap<>(0);

    private long last;

    private record Waiting(Forward forward, Consumer<Boolean> whenTaken) {}

    /**
     * @param link null while there is none
     * @param whenTaken null when nobody waits: without a link it is dropped then
     */
    void send(
            int server,
            @Nullable PeerLink link,
            ClientId clientId,
            Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Consumer<Boolean> whenTaken) {
        long number = whenTaken == null ? 0 : ++last;
        Forward forward = new Forward(number, clientId, qos, retain, ids, message);
        if (whenTaken != null) {
            waiting.computeIfAbsent(server, any -> new LinkedHashMap<>())
                    .put(number, new Waiting(forward, whenTaken));
        }
        if (link != null) {
            offer(link, forward);
        }
    }

    /** One that is not taken over for lack of room comes with the next link. */
    private static void offer(PeerLink link, Forward forward) {
        link.offer(TakeoverMessages.of(forward));
    }

    void linked(PeerLink link) {
        for (Waiting each : waiting.getOrDefault(link.peer().server(), Map.of()).values()) {
            offer(link, each.forward);
        }
    }

    /** A node has one, or nobody is to get it any more. */
    void forwarded(NodeStart from, long number, boolean isTaken) {
        Map<Long, Waiting> of = waiting.get(from.server());
        Waiting done = of == null ? null : of.remove(number);
        if (of != null && of.isEmpty()) {
            waiting.remove(from.server());
        }
        if (done != null) {
            done.whenTaken.accept(isTaken);
        }
    }

    int size() {
        return waiting.values().stream().mapToInt(Map::size).sum();
    }
}
