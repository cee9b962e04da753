package io.godwit.cluster.replication;

import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.message.Digest;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.store.FillAsk;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Writes the messages that a leader and a follower exchange about a stream of copies.
 *
 * <pre>
 * open   leader to follower, on each link   start varint | number varint | asks for has 1
 *                                           | claim sized
 * part   leader to follower                 start varint | position varint | copy set 1 | body
 * at     follower to leader                 start varint | number of open varint
 *                                           | received varint | confirmed varint | flags 1
 *        flags: it has an alarm of disk or memory 0 | it stops, and follows no more 1
 * has    follower to leader                 start varint | position varint | flags 1 | n varint
 *                                           | n x (queue id 8, digest 16)
 *        flags: the first message of an answer 0 | the last one 1
 * refused follower to leader                start varint: it has no store on a disk
 * show   leader to member                   change varint | claim sized | n varint | n x record
 * shown  member to leader                   change varint
 * show refused member to leader             change varint | n varint | n x record that counts
 * ask about follower to member              question varint | leader 3 | n varint | n x record
 * about  member to follower                 question varint | hears 1 | n varint | n x record
 * counts member to member                   (nothing)
 * </pre>
 *
 * <p>The start names the stream: each stream of a leader has a higher one. Positions count the
 * parts of one stream from 1. <em>At</em> answers <em>open</em>, and is said again when more is
 * confirmed, when an alarm begins or ends, and when the follower stops; a stream that the follower
 * does not know is received up to 0. It has the number of the <em>open</em> that was answered last
 * on the link: parts wait for an answer to the last one, in which the claim may be another. When a
 * copy set is to be filled the leader asks of which of its queues the follower <em>has</em> copies:
 * those that have ended meanwhile are to end there, too, and those whose digests are the same here
 * are left out. The follower says what it has behind the part at this position, or behind a later
 * one.
 *
 * <p>A leader <em>shows</em> its {@link CopyRecord}s to all nodes that it has a link with: all of
 * them when the link opens, later those that have changed. The change is the highest of these
 * records; <em>shown</em> answers for all up to it, but for those copy sets of which <em>show
 * refused</em> says that another record counts there.
 *
 * <p>The claim has the slots that the leader leads by its table, as a bitmap: <em>open</em> and
 * <em>show</em> are not answered by a node whose own table gives one of them to another leader.
 * They are said again until they are answered.
 *
 * <p>A follower whose leader is away <em>asks about</em> it: whether the member hears it, and which
 * of its records the member knows. With records it asks the member to take these, by which it takes
 * copy sets over; the member has done so if the answer has them.
 *
 * <p>A node <em>counts</em> in the decisions of leaders from the moment in which it says so, and
 * until its process ends ({@link CopyQuorum}). It says so on each link.
 */
final class CopyMessages {
    static final MessageType OPEN = new MessageType(112, TrafficClass.APPENDS, "copies open");
    static final MessageType PART = new MessageType(113, TrafficClass.APPENDS, "copies part");
    static final MessageType AT = new MessageType(114, TrafficClass.CONTROL, "copies at");

    static final MessageType HAS = new MessageType(115, TrafficClass.APPENDS, "copies has");

    static final MessageType REFUSED = new MessageType(116, TrafficClass.CONTROL, "copies refused");

    static final MessageType SHOW = new MessageType(117, TrafficClass.CONTROL, "copies show");

    static final MessageType SHOWN = new MessageType(118, TrafficClass.CONTROL, "copies shown");

    static final MessageType SHOW_REFUSED =
            new MessageType(119, TrafficClass.CONTROL, "copies show refused");

    static final MessageType ASK_ABOUT =
            new MessageType(124, TrafficClass.CONTROL, "copies ask about");
    static final MessageType ABOUT = new MessageType(125, TrafficClass.CONTROL, "copies about");

    static final MessageType COUNTS = new MessageType(126, TrafficClass.CONTROL, "copies counts");

    static final int AT_FULL = 1;
    static final int AT_LEAVES = 1 << 1;
    static final int HAS_FIRST = 1;
    static final int HAS_LAST = 1 << 1;

    /** Queues of one message. */
    static final int HAS_MAX = FillAsk.QUEUES_MAX;

    /** In place of the change that is refused: records are told to a leader that has shown none. */
    static final long NO_CHANGE = 0;

    private CopyMessages() {}

    private static int bytes(BitSet claim) {
        return 4 + claim.length() / Byte.SIZE;
    }

    /** Reads the slots that a leader claims. */
    static BitSet readClaim(ByteReader from) {
        return BitSet.valueOf(from.sized());
    }

    record Open(long start, long number, boolean asksForHas, BitSet claim) implements Outgoing {
        @Override
        public MessageType type() {
            return OPEN;
        }

        @Override
        public int bytes() {
            return 24 + CopyMessages.bytes(claim);
        }

        @Override
        public void write(ByteWriter to, int protocol) {
            to.varint(start).varint(number).u8(asksForHas ? 1 : 0).sized(claim.toByteArray());
        }
    }

    record At(long start, long opened, long received, long confirmed, int flags)
            implements Outgoing {
        @Override
        public MessageType type() {
            return AT;
        }

        @Override
        public int bytes() {
            return 40;
        }

        @Override
        public void write(ByteWriter to, int protocol) {
            to.varint(start).varint(opened).varint(received).varint(confirmed).u8(flags);
        }
    }

    /**
     * Tells of some copies.
     *
     * @param position of the last part that was applied before
     * @param digests by queue; that of nothing: it is not known
     */
    record Has(long start, long position, int flags, long[] queueIds, List<Digest> digests)
            implements Outgoing {
        @Override
        public MessageType type() {
            return HAS;
        }

        @Override
        public int bytes() {
            return 32 + (8 + Digest.LENGTH) * queueIds.length;
        }

        @Override
        public void write(ByteWriter to, int protocol) {
            to.varint(start).varint(position).u8(flags).varint(queueIds.length);
            for (int i = 0; i < queueIds.length; i++) {
                Digest digest = digests.get(i);
                to.long8(queueIds[i]).long8(digest.high()).long8(digest.low());
            }
        }

        static Has read(long start, ByteReader from) {
            long position = from.varint();
            int flags = from.u8();
            long[] queueIds = new long[from.size()];
            List<Digest> digests = new ArrayList<>(queueIds.length);
            for (int i = 0; i < queueIds.length; i++) {
                queueIds[i] = from.long8();
                long high = from.long8();
                digests.add(new Digest(high, from.long8()));
            }
            return new Has(start, position, flags, queueIds, digests);
        }

        boolean isFirst() {
            return (flags & HAS_FIRST) != 0;
        }

        boolean isLast() {
            return (flags & HAS_LAST) != 0;
        }
    }

    record Refused(long start) implements Outgoing {
        @Override
        public MessageType type() {
            return REFUSED;
        }

        @Override
        public int bytes() {
            return 16;
        }

        @Override
        public void write(ByteWriter to, int protocol) {
            to.varint(start);
        }
    }

    record Show(long change, BitSet claim, List<CopyRecord> records) implements Outgoing {
        @Override
        public MessageType type() {
            return SHOW;
        }

        @Override
        public int bytes() {
            return 16 + CopyMessages.bytes(claim) + CopyRecord.bytes(records);
        }

        @Override
        public void write(ByteWriter to, int protocol) {
            to.varint(change).sized(claim.toByteArray());
            CopyRecord.writeAll(to, records);
        }
    }

    record Shown(long change) implements Outgoing {
        @Override
        public MessageType type() {
            return SHOWN;
        }

        @Override
        public int bytes() {
            return 16;
        }

        @Override
        public void write(ByteWriter to, int protocol) {
            to.varint(change);
        }
    }

    record ShowRefused(long change, List<CopyRecord> higher) implements Outgoing {
        @Override
        public MessageType type() {
            return SHOW_REFUSED;
        }

        @Override
        public int bytes() {
            return 16 + CopyRecord.bytes(higher);
        }

        @Override
        public void write(ByteWriter to, int protocol) {
            to.varint(change);
            CopyRecord.writeAll(to, higher);
        }
    }

    record AskAbout(long question, int leader, List<CopyRecord> proposed) implements Outgoing {
        @Override
        public MessageType type() {
            return ASK_ABOUT;
        }

        @Override
        public int bytes() {
            return 16 + CopyRecord.bytes(proposed);
        }

        @Override
        public void write(ByteWriter to, int protocol) {
            to.varint(question).server3(leader);
            CopyRecord.writeAll(to, proposed);
        }

        static AskAbout read(ByteReader from) {
            return new AskAbout(from.varint(), from.server3(), CopyRecord.readAll(from));
        }
    }

    /**
     * @param hears whether the member hears the leader
     * @param fresh copy sets for which the member counts: the leader has shown it their records in
     *     its present start
     * @param records the highest ones that it knows of the leader
     */
    record About(long question, boolean hears, BitSet fresh, List<CopyRecord> records)
            implements Outgoing {
        @Override
        public MessageType type() {
            return ABOUT;
        }

        @Override
        public int bytes() {
            return 16 + CopyMessages.bytes(fresh) + CopyRecord.bytes(records);
        }

        @Override
        public void write(ByteWriter to, int protocol) {
            to.varint(question).u8(hears ? 1 : 0).sized(fresh.toByteArray());
            CopyRecord.writeAll(to, records);
        }

        static About read(ByteReader from) {
            long question = from.varint();
            boolean hears = from.u8() != 0;
            return new About(question, hears, readClaim(from), CopyRecord.readAll(from));
        }
    }

    record Counts() implements Outgoing {
        @Override
        public MessageType type() {
            return COUNTS;
        }

        @Override
        public int bytes() {
            return 8;
        }

        @Override
        public void write(ByteWriter to, int protocol) {}
    }
}
