package io.godwit.cluster.replication;

import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.message.Digest;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Writes the messages by which copies are compared while their nodes run.
 *
 * <pre>
 * mark      leader to follower, in its stream
 *           start varint | position varint | verification varint | copy sets varint, a bit each
 * described follower to leader
 *           start varint | verification varint | outcome 1 | last 1
 *           | n varint | n x (slot varint | queues varint | digest 16)
 * verify    any node to a leader             question varint | limit in ms varint
 * verified  a leader to who asked            question varint | {@link LeaderVerdict}
 * </pre>
 *
 * <p>A mark stands behind the part of its position, and has none itself: it is lost with its link.
 * The follower describes what it has exactly there. Slots without queues are left out.
 */
final class VerifyMessages {
    static final MessageType MARK = new MessageType(120, TrafficClass.APPENDS, "copies mark");
    static final MessageType DESCRIBED =
            new MessageType(121, TrafficClass.APPENDS, "copies described");
    static final MessageType VERIFY = new MessageType(122, TrafficClass.CONTROL, "copies verify");
    static final MessageType VERIFIED =
            new MessageType(123, TrafficClass.CONTROL, "copies verified");

    /** Slots of one message. */
    static final int SLOTS_MAX = 1_024;

    private static final int SLOT_BYTES = 24;

    private VerifyMessages() {}

    /** Says whether a follower has described its copies at a mark, and if not, why. */
    enum Outcome {
        /** The copies were described. */
        DESCRIBED("it is described"),
        /** The node describes its queues for somebody else. */
        BUSY("the follower describes its queues for another comparison"),
        /** The store could not describe them. */
        FAILED("the follower's store could not read its copies"),
        /** The store did not come to the place of the mark in time. */
        LATE("the follower's store did not describe its copies in time"),
        /** The stream does not stand where the mark says. */
        ELSEWHERE("the follower's copy was elsewhere in its stream");

        final String text;

        Outcome(String text) {
            this.text = text;
        }

        /**
         * @throws IndexOutOfBoundsException for a number that stands for none
         */
        static Outcome of(int code) {
            if (code >= values().length) {
                throw new IndexOutOfBoundsException("outcome " + code);
            }
            return values()[code];
        }
    }

    /**
     * Marks the place in a stream at which the follower describes its copies.
     *
     * @param verification names it among all of its leader's start
     * @param sets copy sets that are compared
     */
    record Mark(long verification, BitSet sets) {
        static final int BYTES = 40;

        void write(ByteWriter to, long start, long position) {
            long bits = sets.isEmpty() ? 0 : sets.toLongArray()[0];
            to.varint(start).varint(position).varint(verification).varint(bits);
        }

        /** Reads what follows the position. */
        static Mark read(ByteReader in) {
            return new Mark(in.varint(), BitSet.valueOf(new long[] {in.varint()}));
        }
    }

    /**
     * Tells the leader the digests of a follower's copies, by slot.
     *
     * @param slots rising
     */
    record Described(
            long start,
            long verification,
            Outcome outcome,
            boolean isLast,
            SlotDigests digests,
            List<Integer> slots)
            implements Outgoing {
        @Override
        public MessageType type() {
            return DESCRIBED;
        }

        @Override
        public int bytes() {
            return 32 + SLOT_BYTES * slots.size();
        }

        @Override
        public void write(ByteWriter to, int protocol) {
            to.varint(start).varint(verification).u8(outcome.ordinal()).u8(isLast ? 1 : 0);
            to.varint(slots.size());
            for (int slot : slots) {
                Digest digest = digests.digest(slot);
                to.varint(slot).varint(digests.queues(slot));
                to.long8(digest.high()).long8(digest.low());
            }
        }

        static Described read(ByteReader in) {
            long start = in.varint();
            long verification = in.varint();
            Outcome outcome = Outcome.of(in.u8());
            boolean isLast = in.u8() != 0;
            SlotDigests digests = new SlotDigests();
            List<Integer> slots = new ArrayList<>();
            for (int left = in.size(); left > 0; left--) {
                int slot = in.smallInt();
                if (slot >= SlotDigests.COUNT) {
                    throw new IndexOutOfBoundsException("slot " + slot);
                }
                int queues = in.smallInt();
                digests.add(slot, queues, new Digest(in.long8(), in.long8()));
                slots.add(slot);
            }
            return new Described(start, verification, outcome, isLast, digests, slots);
        }
    }

    record Verify(long question, long limitMs) implements Outgoing {
        @Override
        public MessageType type() {
            return VERIFY;
        }

        @Override
        public int bytes() {
            return 24;
        }

        @Override
        public void write(ByteWriter to, int protocol) {
            to.varint(question).varint(limitMs);
        }
    }

    record Verified(long question, byte[] verdict) implements Outgoing {
        @Override
        public MessageType type() {
            return VERIFIED;
        }

        @Override
        public int bytes() {
            return 16 + verdict.length;
        }

        @Override
        public void write(ByteWriter to, int protocol) {
            to.varint(question).raw(verdict);
        }
    }
}
