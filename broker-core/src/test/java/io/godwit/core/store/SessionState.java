package io.godwit.core.store;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.Recovery.KeptSubscription;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What is durable of one session, but for its queue. */
final class SessionState {
    final ClientId clientId;
    SessionRecord record;
    final Map<TopicFilter, KeptSubscription> subscriptions = new LinkedHashMap<>();

    /** By packet id. */
    private final Map<Integer, InboundId> inbound = new TreeMap<>();

    private record InboundId(int server, long ingressCounter, boolean taken) {}

    SessionState(ClientId clientId, SessionRecord record) {
        this.clientId = clientId;
        this.record = record;
    }

    void putInbound(int packetId, int server, long ingressCounter) {
        inbound.put(packetId, new InboundId(server, ingressCounter, false));
    }

    void inboundTaken(int packetId, int server, long ingressCounter) {
        inbound.replace(
                packetId,
                new InboundId(server, ingressCounter, false),
                new InboundId(server, ingressCounter, true));
    }

    void inboundNotTaken(int packetId) {
        inbound.computeIfPresent(
                packetId, (same, id) -> new InboundId(id.server, id.ingressCounter, false));
    }

    void removeInbound(int packetId) {
        inbound.remove(packetId);
    }

    Collection<Integer> inboundIds() {
        return inbound.keySet();
    }

    /** As a start reads them. */
    List<Inbound> inbound(long queueId) {
        List<Inbound> all = new ArrayList<>();
        inbound.forEach((packetId, id) -> {
            Inbound each = new Inbound(queueId, packetId, id.server, id.ingressCounter);
            each.taken = id.taken;
            all.add(each);
        });
        return all;
    }
}
