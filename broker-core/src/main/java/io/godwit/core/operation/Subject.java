package io.godwit.core.operation;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.message.CameBefore;
import io.godwit.core.message.Coverage;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.SessionRecord;
import org.jspecify.annotations.Nullable;

/** The subject of an operation, where core has no other object for it. */
public sealed interface Subject {
    record SessionPut(ClientId clientId, SessionRecord session) implements Subject {}

    /**
     * A session or a part of a group that ended.
     *
     * @param stamp later than that of every record that this ends; {@link HybridId#NONE}: it is a
     *     copy that goes, of what its leader does not know
     */
    record OfQueue(long queueId, HybridId stamp) implements Subject {
        /** Whether it is remembered that it has ended. */
        public boolean isRemembered() {
            return !stamp.equals(HybridId.NONE);
        }
    }

    /**
     * @param stamp of the SUBSCRIBE
     * @param before see {@link Recovery.KeptSubscription}
     */
    record SubscriptionPut(
            long queueId,
            TopicFilter filter,
            int qos,
            boolean noLocal,
            boolean retainAsPublished,
            int[] ids,
            HybridId stamp,
            @Nullable CameBefore before)
            implements Subject {
        /** Before which nothing had come. */
        public SubscriptionPut(
                long queueId,
                TopicFilter filter,
                int qos,
                boolean noLocal,
                boolean retainAsPublished,
                int[] ids,
                HybridId stamp) {
            this(queueId, filter, qos, noLocal, retainAsPublished, ids, stamp, null);
        }
    }

    /**
     * @param stamp of the UNSUBSCRIBE
     */
    record SubscriptionGone(long queueId, TopicFilter filter, HybridId stamp) implements Subject {}

    /**
     * @param part 0..15
     */
    record GroupPut(TopicFilter filter, int part, long queueId) implements Subject {}

    /**
     * A queue that another node has led, and this one leads from now on.
     *
     * @param epoch under which this node is its leader
     * @param to takes what is kept of it once everything before is rows; null when it was read
     */
    record Adopted(long queueId, Epoch epoch, @Nullable Recovery to) implements Subject {}

    /**
     * @param predecessorId of a queue that is drained before this one, and given up then
     */
    record PrecededBy(long queueId, long predecessorId) implements Subject {}

    /**
     * A range of a queue in another node's copy. The copy's entries, markers and remembered ids in
     * it are replaced by those that follow; applied twice it changes nothing.
     *
     * @param above where the range begins
     * @param upTo the last id of the range
     * @param isFirst what follows also replaces the copy's record, subscriptions, inbound ids and
     *     predecessor
     * @param isGone the leader has no such queue: nothing is kept of the copy
     * @param ended what the queue had up to this id ended with its session or group; {@link
     *     HybridId#NONE}: the leader knows of no end
     * @param coverage of the queue within the range
     */
    record CopyRange(
            long queueId,
            HybridId above,
            HybridId upTo,
            boolean isFirst,
            boolean isGone,
            HybridId ended,
            Coverage coverage)
            implements Subject {
        /**
         * Makes the range that ends the copy of a queue.
         *
         * @param ended stamp of the queue's end; {@link HybridId#NONE}: the leader knows of none
         */
        public static CopyRange gone(long queueId, HybridId ended) {
            return new CopyRange(
                    queueId, HybridId.NONE, HybridId.MAX, true, true, ended, new Coverage());
        }

        /** Tells whether the leader accounts for an id: it has it, or knows that it is gone. */
        public boolean accountsFor(HybridId id) {
            return id.compareTo(ended) <= 0 || coverage.covers(id.clock(), id.server());
        }

        /** Tells whether the range has no upper end. */
        public boolean isLast() {
            return upTo.equals(HybridId.MAX);
        }
    }

    /**
     * A part of another node's stream, as it came.
     *
     * @param server server id of the node whose stream it is
     * @param start start number of that stream
     * @param position in that stream
     * @param format the least version of the encoding that has all that the body uses
     */
    record ForeignPart(int server, long start, long position, byte[] body, int format)
            implements Subject {}

    record RowGone(long queueId, long clock, int server) implements Subject {}

    record InFlightTo(QueuedMessage entry, Receiver to) implements Subject {}

    record GotGone(long queueId, long clock, int server) implements Subject {}

    record RetainedPut(Message message, HybridId stamp) implements Subject {}

    record RetainedGone(Topic topic, HybridId stamp) implements Subject {}

    /**
     * Everything of this stream up to the position is journaled here.
     *
     * @param server server id of the node whose stream it is
     * @param start start number of that stream
     */
    record StreamAt(int server, long start, long position) implements Subject {}

    /** A queue that this node has led, and another one leads from now on. */
    final class Yielded implements Subject {
        public final long queueId;

        /** The epoch under which the other node leads it. */
        public final Epoch epoch;

        /**
         * What was appended to the queue in this start, as an interval of its coverage; the thread
         * that encodes commits says so. All 0 for nothing, and when it was read.
         */
        public int appendedServer;

        public long appendedFrom;
        public long appendedTo;

        public Yielded(long queueId, Epoch epoch) {
            this.queueId = queueId;
            this.epoch = epoch;
        }
    }

    /** See {@link io.godwit.core.store.ShardStore#putMarker}. */
    final class Got implements Subject {
        public final long queueId;
        public final long clock;
        public final int server;
        public final int packetId;
        public final int ingressServer;
        public final long ingressCounter;

        /**
         * Whether something that follows in the window makes this void; only the row thread touches
         * it.
         */
        public boolean isVoid;

        public Got(
                long queueId,
                long clock,
                int server,
                int packetId,
                int ingressServer,
                long ingressCounter) {
            this.queueId = queueId;
            this.clock = clock;
            this.server = server;
            this.packetId = packetId;
            this.ingressServer = ingressServer;
            this.ingressCounter = ingressCounter;
        }
    }
}
