package io.godwit.cluster.stream;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import org.jspecify.annotations.Nullable;

/**
 * What a stream carries. Never changed once it was added to a stream; several may have the same.
 */
public sealed interface StreamRecord {
    /** About how many bytes it is when written. */
    int bytes();

    /** Routed to sessions and groups of the node that gets it. */
    record Publish(Message message) implements StreamRecord {
        @Override
        public int bytes() {
            return message.accountedBytes();
        }
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

    /** Kept and routed, in one step. */
    record RetainedPublish(Message message, HybridId stamp) implements StreamRecord {
        @Override
        public int bytes() {
            return message.accountedBytes();
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
     * @param added for each filter whether it came or went
     */
    record FilterChanges(TopicFilter[] filters, boolean[] added) implements StreamRecord {
        @Override
        public int bytes() {
            int sum = 8;
            for (TopicFilter filter : filters) {
                sum += filter.length() + 3;
            }
            return sum;
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

    /** Of all filters of the sender at this point of its stream. */
    record FiltersDigest(long high, long low) implements StreamRecord {
        @Override
        public int bytes() {
            return 24;
        }
    }

    /** All filters of the receiver are wanted. */
    record FiltersWanted() implements StreamRecord {
        @Override
        public int bytes() {
            return 8;
        }
    }
}
