package io.godwit.core.session;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.packet.ClientId;
import io.godwit.core.queue.ClientQueue;
import io.godwit.core.queue.QueueEntry;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.Recovery.KeptSession;
import io.godwit.core.store.Recovery.KeptSubscription;
import io.godwit.core.store.SessionMoves;
import io.godwit.core.store.SessionRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A durable session as a value: what its next home has to know before it serves the client. What
 * waits in the queue follows in pages. Inside a node the session itself goes along instead.
 *
 * @param record the session's record, with its will and its former homes
 * @param subscriptions by filter
 * @param inFlight sent and not acknowledged, by message id, but for what an earlier start has sent
 *     and nobody has read back
 * @param received QoS 2 PUBLISHes whose PUBREL has not come, by packet id
 * @param remembered QoS 2 messages that its queue has, or had, and that may come again, in the
 *     order in which they came
 * @param lastId the highest message id that its queue has given; 0 for none
 * @param inFlightUpTo nothing above this id is in flight
 * @param taken messages that it has, or had, and that its next home may hear of later; as far as
 *     they are known
 */
public record SessionHeader(
        ClientId clientId,
        SessionRecord record,
        List<KeptSubscription> subscriptions,
        List<Sent> inFlight,
        List<Received> received,
        List<KeptIngress> remembered,
        long lastId,
        HybridId inFlightUpTo,
        List<IngressId> taken) {
    /**
     * A message under a packet id.
     *
     * @param messageId clock of its message id
     * @param server of its message id
     * @param isReleased PUBREC came: only the packet id is of interest
     */
    public record Sent(long messageId, int server, int packetId, int qos, boolean isReleased) {}

    /**
     * A QoS 2 PUBLISH of the client.
     *
     * @param ingressServer of its ingress id: where it came in first
     * @param isTaken everyone whom it goes to has it
     */
    public record Received(int packetId, int ingressServer, long ingressCounter, boolean isTaken) {}

    /** The header of a session; called on the owner's thread. */
    public static SessionHeader of(Session session) {
        ClientQueue queue = session.queueIfMade();
        List<IngressId> taken = session.takenLately();
        return new SessionHeader(
                session.clientId(),
                travelling(session.life().record()),
                session.subscriptions().all().stream()
                        .map(s ->
                                new KeptSubscription(
                                        s.filter,
                                        s.qos,
                                        s.noLocal,
                                        s.retainAsPublished,
                                        s.ids,
                                        session.since(s.filter),
                                        s.cameBefore()))
                        .sorted(Comparator.comparing(KeptSubscription::filter))
                        .toList(),
                queue == null ? List.of() : inFlight(queue),
                session.inboundIds().stream()
                        .map(SessionHeader::received)
                        .sorted(Comparator.comparingInt(Received::packetId))
                        .toList(),
                session.remembered(taken),
                queue == null ? 0 : queue.lastMessageId(),
                queue == null ? HybridId.NONE : queue.inFlightUpTo(),
                taken);
    }

    /** At start: of a session that was given, and is kept until its new home has all of it. */
    public static SessionHeader of(KeptSession kept) {
        QueueDepth queue = kept.queue();
        long lastId = queue == null ? 0 : queue.last().clock();
        return new SessionHeader(
                kept.clientId(),
                travelling(kept.record()),
                subscriptions(kept),
                List.of(),
                kept.inbound().stream()
                        .filter(inbound -> inbound.packetId != OwedWill.PACKET_ID)
                        .map(SessionHeader::received)
                        .sorted(Comparator.comparingInt(Received::packetId))
                        .toList(),
                kept.remembered(),
                lastId,
                queue == null || queue.inFlight() == 0
                        ? HybridId.NONE
                        : new HybridId(lastId, HybridId.SERVER_MAX),
                List.of());
    }

    /** Since when it has its filters matters while a former home keeps something of it. */
    private static List<KeptSubscription> subscriptions(KeptSession kept) {
        return kept.record().moves().former().isEmpty()
                ? kept.subscriptions().stream().map(each -> each.since(0)).toList()
                : kept.subscriptions();
    }

    /** Wills that are owed stay with the home that has begun to publish them. */
    private static SessionRecord travelling(SessionRecord record) {
        return new SessionRecord(
                record.queueId(),
                record.generation(),
                record.stamp(),
                record.epoch(),
                record.version(),
                record.expirySeconds(),
                record.disconnectedAtMs(),
                record.will(),
                List.of(),
                new SessionMoves(
                        record.moves().former(), null, null, 0, 0, record.moves().behind()));
    }

    private static List<Sent> inFlight(ClientQueue queue) {
        List<Sent> sent = new ArrayList<>();
        for (QueueEntry entry : queue.inFlightEntries()) {
            sent.add(
                    new Sent(
                            entry.messageId,
                            entry.server,
                            entry.packetId,
                            entry.qos,
                            entry.isReleased()));
        }
        return sent;
    }

    private static Received received(Inbound inbound) {
        return new Received(
                inbound.packetId, inbound.ingressServer, inbound.ingressCounter, inbound.taken);
    }
}
