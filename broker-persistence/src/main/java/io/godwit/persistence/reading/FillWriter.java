package io.godwit.persistence.reading;

import io.godwit.core.id.Epoch;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Op;
import io.godwit.core.operation.PartEncoder;
import io.godwit.core.operation.Subject;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.Receiver;
import io.godwit.persistence.queue.KeptEntry;
import io.godwit.persistence.queue.MetaRecords;
import java.util.ArrayList;
import java.util.List;

/** Writes what queues hold as bodies of parts, each of a bounded length. One thread. */
final class FillWriter implements MetaRecords.Reader {
    /** A body ends with the operation that reaches it. */
    private static final int BODY_BYTES = 256 << 10;

    private final int leader;
    private final PartEncoder encoder;
    private final ByteWriter body = new ByteWriter(1 << 12);
    private final List<byte[]> bodies = new ArrayList<>();
    private QueueHandle queue = new QueueHandle(0);
    private long bytes;

    /**
     * @param leader server id of this node
     */
    FillWriter(int leader) {
        this.leader = leader;
        encoder = new PartEncoder(leader, any -> queue);
        encoder.begin();
    }

    /** Bytes written so far, about. */
    long bytes() {
        return bytes + encoder.length();
    }

    /** Says that this node leads a queue which it has adopted. */
    void adopted(long queueId, long epoch) {
        queue = new QueueHandle(queueId);
        queue.epoch = epoch;
        put(Op.ADOPTED, new Subject.Adopted(queueId, new Epoch(epoch, leader), null), 0);
    }

    /** Begins a range of a queue. */
    void begin(Subject.CopyRange range, long epoch) {
        queue = new QueueHandle(range.queueId());
        queue.epoch = epoch;
        put(Op.COPY_RANGE, range, 0);
    }

    @Override
    public void put(Subject record) {
        Op op =
                switch (record) {
                    case Subject.SessionPut session -> Op.SESSION;
                    case Subject.SubscriptionPut subscription -> Op.SUBSCRIPTION;
                    case Subject.GroupPut group -> Op.GROUP;
                    case Subject.PrecededBy before -> Op.PRECEDED_BY;
                    default -> throw new IllegalArgumentException("no record: " + record);
                };
        put(op, record, 0);
    }

    @Override
    public void inbound(Inbound inbound) {
        put(Op.INBOUND, inbound, 0);
        if (inbound.taken) {
            put(Op.INBOUND_TAKEN, inbound, 0);
        }
    }

    void entry(FillEntry entry) {
        if (entry.status() == FillEntry.Status.GOT) {
            put(
                    Op.GOT,
                    new Subject.Got(
                            queue.queueId,
                            entry.id().clock(),
                            entry.id().server(),
                            entry.packetId(),
                            entry.ingressServer(),
                            entry.ingressCounter()),
                    0);
            return;
        }
        QueuedMessage queued = queued(entry);
        // The copy's coverage comes with the range: the append proves nothing but itself.
        queue.writtenClock = queued.messageId - 1;
        queue.writtenServer = queued.server;
        put(Op.APPEND, queued, 0);
        Receiver receiver = entry.receiver();
        switch (entry.status()) {
            case IDLE, GOT -> {}
            case RELEASED -> put(Op.RELEASED, queued, entry.packetId());
            case IN_FLIGHT -> {
                if (receiver == null) {
                    put(Op.IN_FLIGHT, queued, entry.packetId());
                } else {
                    put(
                            Op.IN_FLIGHT_TO,
                            new Subject.InFlightTo(queued, receiver),
                            entry.packetId());
                }
            }
        }
    }

    private QueuedMessage queued(FillEntry entry) {
        KeptEntry queued =
                KeptEntry.journaled(
                        queue.queueId,
                        entry.id().clock(),
                        entry.id().server(),
                        entry.message(),
                        entry.qos(),
                        entry.retain(),
                        entry.ids());
        queued.queue = queue;
        queued.packetId = entry.packetId();
        queued.ingress(entry.ingressServer(), entry.ingressCounter());
        return queued;
    }

    void put(Op op, Object subject, int packetId) {
        encoder.encode(op, subject, packetId);
        if (encoder.length() >= BODY_BYTES) {
            cut();
        }
    }

    private void cut() {
        body.clear();
        encoder.writeTo(body);
        byte[] written = body.toBytes();
        bodies.add(written);
        bytes += written.length;
        encoder.begin();
    }

    /** Ends the last body. */
    List<byte[]> end() {
        if (!encoder.isEmpty()) {
            cut();
        }
        return bodies;
    }
}
