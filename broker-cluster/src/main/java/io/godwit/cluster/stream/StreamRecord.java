package io.godwit.cluster.stream;

import io.godwit.cluster.leadership.Epoch;
import io.godwit.cluster.leadership.SlotRow;
import io.godwit.cluster.leadership.SlotSet;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.GroupState;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a stream carries. Never changed once it was added to a stream; several may have the same.
 */
public sealed interface StreamRecord {
    /** About how many bytes it is when written. */
    int bytes();

    /** Routed to the sessions of the node that gets it. */
    record Publish(Message message) implements StreamRecord {
        @Override
        public int bytes() {
            return message.accountedBytes();
        }
    }

    /**
     * Routed to shared groups of the node that gets it.
     *
     * @param sessions whether it is for its sessions, too
     * @param groups whole filters
     */
    record GroupPublish(Message message, boolean sessions, TopicFilter[] groups)
            implements StreamRecord {
        @Override
        public int bytes() {
            return message.accountedBytes() + 2 + filterBytes(groups);
        }
    }

    /**
     * Has come to the sender for a shared group, and is for its members at the node that gets it.
     *
     * @param group whole filter
     */
    record PassedOn(Message message, TopicFilter group) implements StreamRecord {
        @Override
        public int bytes() {
            return message.accountedBytes() + 3 + group.length();
        }
    }

    private static int filterBytes(TopicFilter[] filters) {
        int sum = 0;
        for (TopicFilter filter : filters) {
            sum += filter.length() + 3;
        }
        return sum;
    }

    /** These publishes of QoS 2 will not be sent again: nobody need remember them. */
    record Over(IngressId[] publishes) implements StreamRecord {
        @Override
        public int bytes() {
            return 4 + publishes.length * 10;
        }
    }

    /** The sender remembers these publishes of the receiver: which of them are over? */
    record Remembered(IngressId[] publishes) implements StreamRecord {
        @Override
        public int bytes() {
            return 4 + publishes.length * 10;
        }
    }

    /** The sender has the sessions whose clients may send these publishes again. */
    record Inherited(IngressId[] publishes) implements StreamRecord {
        @Override
        public int bytes() {
            return 4 + publishes.length * 10;
        }
    }

    /**
     * Kept and routed to sessions, in one step.
     *
     * @param groups shared groups that it is for, too, by their whole filters
     */
    record RetainedPublish(Message message, HybridId stamp, TopicFilter[] groups)
            implements StreamRecord {
        @Override
        public int bytes() {
            return message.accountedBytes() + filterBytes(groups);
        }
    }

    /**
     * Kept if it is later than what is there, and routed to nobody.
     *
     * @param message null: it was deleted
     */
    record RetainedCopy(Topic topic, HybridId stamp, @Nullable Message message)
            implements StreamRecord {
        @Override
        public int bytes() {
            return topic.length() + 32 + (message == null ? 0 : message.accountedBytes());
        }
    }

    /** What the sender has retained: who has something else asks for copies. */
    record RetainedDigest(long high, long low) implements StreamRecord {
        @Override
        public int bytes() {
            return 24;
        }
    }

    /** Copies of everything that the receiver has retained are wanted. */
    record RetainedWanted() implements StreamRecord {
        @Override
        public int bytes() {
            return 8;
        }
    }

    /** Every copy that was wanted has been sent. */
    record RetainedEnd() implements StreamRecord {
        @Override
        public int bytes() {
            return 8;
        }
    }

    /**
     * Filters that somebody of the sender has from now on, or nobody any more, in order.
     *
     * @param filters of shared groups the whole filters
     * @param states for each filter what there is of it
     */
    record FilterChanges(TopicFilter[] filters, GroupState[] states) implements StreamRecord {
        @Override
        public int bytes() {
            return 8 + filterBytes(filters);
        }
    }

    /** All filters of the sender follow, as changes. */
    record FiltersBegin() implements StreamRecord {
        @Override
        public int bytes() {
            return 8;
        }
    }

    /** These were all: what was not among them is gone. */
    record FiltersEnd() implements StreamRecord {
        @Override
        public int bytes() {
            return 8;
        }
    }

    /**
     * The sender has not heard the filters of these members since its start. The receiver tells
     * those that it knows of members out of its own reach.
     *
     * @param members server ids
     */
    record AwayFiltersAsked(int[] members) implements StreamRecord {
        @Override
        public int bytes() {
            return 8 + 3 * members.length;
        }
    }

    /**
     * Durable filters of a member that is out of the sender's reach.
     *
     * @param member server id
     * @param filters of shared groups the whole filters
     */
    record AwayFilters(int member, TopicFilter[] filters) implements StreamRecord {
        @Override
        public int bytes() {
            return 11 + filterBytes(filters);
        }
    }

    /** All durable filters of a member have been told. */
    record AwayFiltersEnd(int member) implements StreamRecord {
        @Override
        public int bytes() {
            return 11;
        }
    }

    /** Of all filters of the sender at this point of its stream. */
    record FiltersDigest(long high, long low) implements StreamRecord {
        @Override
        public int bytes() {
            return 24;
        }
    }

    /**
     * The sender did not run for a while, and may not know of filters that a SUBACK of the receiver
     * has promised.
     *
     * @param question which one, of those of the sender's start
     */
    record FiltersAsked(long question) implements StreamRecord {
        @Override
        public int bytes() {
            return 16;
        }
    }

    /**
     * All filters that the sender had promised came before this, and it does not promise more
     * before the receiver knows of them.
     *
     * @param question that this answers
     */
    record FiltersTold(long question) implements StreamRecord {
        @Override
        public int bytes() {
            return 16;
        }
    }

    /**
     * When has a node answered for everything that the receiver has sent there before this?
     *
     * @param question which one: of no other start of the sender
     * @param to server id of that node
     */
    record WaysAsked(long question, int to) implements StreamRecord {
        @Override
        public int bytes() {
            return 20;
        }
    }

    /**
     * Tells that it has.
     *
     * @param question that this answers
     */
    record WaysTold(long question) implements StreamRecord {
        @Override
        public int bytes() {
            return 16;
        }
    }

    /** Slots have these epochs, or higher ones: each names the leader. */
    record Leads(List<SlotRow> rows) implements StreamRecord {
        @Override
        public int bytes() {
            return 4 + rows.stream().mapToInt(SlotRow::bytes).sum();
        }
    }

    /**
     * The sender has durable sessions in these slots, and in no others; its table was told before.
     *
     * @param slots not to be changed
     */
    record Holds(BitSet slots) implements StreamRecord {
        @Override
        public int bytes() {
            return 4 + SlotSet.bytes(slots);
        }
    }

    /**
     * The sender leads these slots and has sessions there: the receiver is to set its own aside.
     *
     * @param slots not to be changed
     */
    record Kept(BitSet slots, Epoch epoch) implements StreamRecord {
        @Override
        public int bytes() {
            return 20 + SlotSet.bytes(slots);
        }
    }

    /**
     * The sender has taken over slots of a leader that is gone, and acts for their sessions; it has
     * told their filters before. Or it has adopted the queues of the leader's groups.
     *
     * @param takeover number among those of the sender's start, from 1 on; 0: of groups
     * @param from server id of the former leader
     * @param epoch counts the changes of the slots' leader until then; 0: of groups
     * @param slots not to be changed; of groups none
     */
    record Loaded(int takeover, int from, long epoch, BitSet slots) implements StreamRecord {
        /** Returns what is told of groups. */
        public static Loaded groups(int from) {
            return new Loaded(0, from, 0, new BitSet());
        }

        /** Whether it is of the queues of groups. */
        public boolean isOfGroups() {
            return takeover == 0;
        }

        @Override
        public int bytes() {
            return 20 + SlotSet.bytes(slots);
        }
    }

    /**
     * What follows in this stream is for durable sessions of these slots at the receiver, too.
     *
     * @param takeover number among those of the receiver's start; 0 when the source has entered
     *     before that start
     * @param slots not to be changed
     */
    record Enter(int takeover, BitSet slots) implements StreamRecord {
        @Override
        public int bytes() {
            return 8 + SlotSet.bytes(slots);
        }
    }

    /**
     * Was sent to the former leader of slots, and is for their durable sessions alone.
     *
     * @param slots not to be changed
     */
    record Redirected(BitSet slots, Message message) implements StreamRecord {
        @Override
        public int bytes() {
            return message.accountedBytes() + SlotSet.bytes(slots);
        }
    }

    /** All filters of the receiver are wanted. */
    record FiltersWanted() implements StreamRecord {
        @Override
        public int bytes() {
            return 8;
        }
    }

    /** The files that say who comes in at the sender. */
    record SecurityFiles(SecurityDigests digests) implements StreamRecord {
        @Override
        public int bytes() {
            return 32;
        }
    }

    /** The sender is to lead nothing, or may lead again. */
    record Draining(boolean isDraining) implements StreamRecord {
        @Override
        public int bytes() {
            return 8;
        }
    }

    /** Follows what was redirected: it is answered when all of that is routed. */
    record RedirectedEnd() implements StreamRecord {
        @Override
        public int bytes() {
            return 8;
        }
    }
}
