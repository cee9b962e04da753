package io.godwit.persistence.upgrade;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Op;
import io.godwit.core.operation.Part;
import io.godwit.core.operation.PartEncoder;
import io.godwit.core.operation.Subject;
import io.godwit.core.operation.SubscriptionOptions;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.SessionRecord;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.JournalView;
import io.godwit.persistence.files.JournalLook;
import io.godwit.persistence.queue.KeptEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A journal of format 1, shown as if it were written in the present one. */
final class OldJournal implements JournalView {
    private static final int[] NO_IDS = new int[0];

    private final JournalLook look;
    private final OldLoans loans;
    private final Map<Long, QueueHandle> queues = new HashMap<>();

    /**
     * @param loans of the rows
     */
    OldJournal(JournalLook look, OldLoans loans) {
        this.look = look;
        this.loans = loans;
    }

    @Override
    public void replay(long after, long rows, Visitor visitor) throws DiskFailure {
        look.replay(
                after,
                rows,
                (position, flags, record) ->
                        visitor.record(position, flags, new OldRecord(record).translate()));
    }

    private QueueHandle queue(long queueId) {
        return queues.computeIfAbsent(queueId, id -> new QueueHandle(id, 0));
    }

    /** One record, operation by operation. */
    private final class OldRecord {
        private final ByteReader in;
        private final List<Message> messages = new ArrayList<>();
        private @Nullable PartEncoder own;
        private @Nullable PartEncoder local;
        private @Nullable Message lastMessage;
        private long lastQueue;
        private long lastId;

        OldRecord(byte[] record) {
            in = new ByteReader(record);
        }

        byte[] translate() {
            while (!in.isAtEnd()) {
                operation();
            }
            ByteWriter out = new ByteWriter(256);
            if (own != null) {
                Part.writeOwn(out, 0, List.of(), own);
            }
            if (local != null) {
                Part.writeLocal(out, local);
            }
            return out.toBytes();
        }

        private void own(Op op, Object subject, int packetId) {
            if (own == null) {
                own = encoder();
            }
            own.encode(op, subject, packetId);
        }

        private void local(Op op, Object subject) {
            if (local == null) {
                local = encoder();
            }
            local.encode(op, subject, 0);
        }

        private PartEncoder encoder() {
            PartEncoder encoder = new PartEncoder(0, OldJournal.this::queue);
            encoder.begin();
            return encoder;
        }

        private void operation() {
            int ordinal = in.u8();
            switch (ordinal) {
                case 0 -> append();
                case 1 -> entry(Op.IN_FLIGHT);
                case 2 -> entry(Op.RELEASED);
                case 3, 4 -> {
                    long queueId = queue();
                    QueuedMessage entry = entry(queueId, id());
                    OldLoans.Loan loan = loans.endOfGroup(queueId, entry.messageId);
                    if (loan != null) {
                        got(loan.member(), entry, loan.packetId()); // so PUBREC came
                    }
                    own(Op.REMOVE, entry, 0);
                }
                case 5 -> lent();
                case 6 -> lentGone();
                case 7 -> own(Op.INBOUND, inbound(), 0);
                case 8 -> own(Op.INBOUND_TAKEN, inbound(), 0);
                case 9 -> own(Op.INBOUND_GONE, inbound(), 0);
                case 10 -> {
                    long queueId = queue();
                    ClientId clientId = new ClientId(in.sized());
                    SessionRecord session = OldFormat.session(in, queueId);
                    loans.session(queueId, session.generation());
                    own(Op.SESSION, new Subject.SessionPut(clientId, session), 0);
                }
                case 11 -> own(Op.SESSION_GONE, new Subject.OfQueue(queue(), HybridId.NONE), 0);
                case 12 -> subscription();
                case 13 -> {
                    long queueId = queue();
                    TopicFilter filter = new TopicFilter(in.sized());
                    own(
                            Op.SUBSCRIPTION_GONE,
                            new Subject.SubscriptionGone(queueId, filter, HybridId.NONE),
                            0);
                }
                case 14 -> {
                    long queueId = queue();
                    TopicFilter filter = new TopicFilter(in.sized());
                    own(Op.GROUP, new Subject.GroupPut(filter, 0, queueId), 0);
                }
                case 15 -> own(Op.GROUP_GONE, new Subject.OfQueue(queue(), HybridId.NONE), 0);
                case 16 ->
                        local(
                                Op.RETAINED,
                                new Subject.RetainedPut(OldFormat.message(in), HybridId.NONE));
                case 17 ->
                        local(
                                Op.RETAINED_GONE,
                                new Subject.RetainedGone(new Topic(in.sized()), HybridId.NONE));
                case 18 -> local(Op.CLOCK, in.varint());
                default -> throw new IndexOutOfBoundsException("operation " + ordinal);
            }
        }

        private void append() {
            int flags = in.u8();
            long queueId = queue();
            long clock = id();
            int[] ids = (flags & 1 << 3) != 0 ? in.ints() : NO_IDS;
            Message message =
                    switch (flags >>> 4 & 3) {
                        case 0 -> null;
                        case 1 -> lastMessage;
                        case 2 -> {
                            Message first = OldFormat.message(in);
                            messages.add(first);
                            yield first;
                        }
                        default -> messages.get(in.smallInt());
                    };
            lastMessage = message == null ? lastMessage : message;
            boolean retain = (flags & 1 << 2) != 0;
            QueueHandle queue = OldJournal.this.queue(queueId);
            // As after each start: the interval begins anew.
            queue.writtenClock = clock - 1;
            queue.writtenServer = OldFormat.server(queueId);
            QueuedMessage entry = entry(queueId, clock, message, flags & 3, retain, ids);
            own(Op.APPEND, entry, 0);
            if (message != null && message.qos == 2) {
                // If nobody can send it again the start forgets it.
                own(
                        Op.REMEMBERED,
                        new Remembered(
                                queueId,
                                clock,
                                entry.server,
                                message.ingressServer,
                                message.ingressCounter),
                        0);
            }
        }

        private void lent() {
            long member = queue();
            QueuedMessage entry = entry(queue(), id());
            int packetId = in.smallInt();
            boolean released = in.u8() != 0;
            if (released) {
                loans.endOfMember(member, entry.messageId);
                got(member, entry, packetId);
            } else {
                OldLoans.Loan loan =
                        new OldLoans.Loan(member, entry.queueId, entry.messageId, packetId);
                loans.put(loan);
                own(Op.IN_FLIGHT_TO, new Subject.InFlightTo(entry, loans.receiver(loan)), packetId);
            }
        }

        private void lentGone() {
            long member = queue();
            long clock = id();
            OldLoans.Loan loan = loans.endOfMember(member, clock);
            if (loan != null) {
                own(Op.IN_FLIGHT, entry(loan.group(), clock), 0); // idle again
            } else {
                own(Op.GOT_GONE, new Subject.GotGone(member, clock, OldFormat.server(member)), 0);
            }
        }

        private void got(long member, QueuedMessage entry, int packetId) {
            own(Op.GOT, new Subject.Got(member, entry.messageId, entry.server, packetId, 0, 0), 0);
        }

        private void entry(Op op) {
            long queueId = queue();
            QueuedMessage entry = entry(queueId, id());
            own(op, entry, in.smallInt());
        }

        private QueuedMessage entry(long queueId, long clock) {
            return entry(queueId, clock, null, 2, false, NO_IDS);
        }

        private QueuedMessage entry(
                long queueId,
                long clock,
                @Nullable Message message,
                int qos,
                boolean retain,
                int[] ids) {
            int server = OldFormat.server(queueId);
            return KeptEntry.journaled(queueId, clock, server, message, qos, retain, ids);
        }

        private Inbound inbound() {
            long queueId = queue();
            int packetId = in.smallInt();
            return new Inbound(queueId, packetId, OldFormat.server(queueId), in.varint());
        }

        private void subscription() {
            long queueId = queue();
            TopicFilter filter = new TopicFilter(in.sized());
            int options = in.u8();
            own(
                    Op.SUBSCRIPTION,
                    new Subject.SubscriptionPut(
                            queueId,
                            filter,
                            SubscriptionOptions.qos(options),
                            SubscriptionOptions.noLocal(options),
                            SubscriptionOptions.retainAsPublished(options),
                            in.ints(),
                            HybridId.NONE),
                    0);
        }

        private long queue() {
            lastQueue += in.signed();
            return lastQueue;
        }

        private long id() {
            lastId += in.signed();
            return lastId;
        }
    }

    @Override
    public void close() {}
}
