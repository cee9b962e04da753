package io.godwit.core.message;

import org.jspecify.annotations.Nullable;

/**
 * A durable queue as the store knows it: one object for each queue of the node, whichever shard has
 * the queue, so that nothing is looked up for an operation on it.
 *
 * <p>Fields that change belong to one thread each: what is {@code written} to the one that encodes
 * commits, {@link #rows} to the one that makes rows. {@link #epoch} is set by the queue's owner.
 */
public final class QueueHandle {
    /** What the entries of a queue are delivered to. */
    public enum Kind {
        /** One durable session. */
        SESSION(1),
        /** The members of a shared group: the queue is one part of the group's. */
        GROUP_PART(2);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        /** Its number on the disk. */
        public int code() {
            return code;
        }

        /**
         * @throws IndexOutOfBoundsException for a number that stands for none
         */
        public static Kind of(int code) {
            for (Kind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            throw new IndexOutOfBoundsException("kind of queue " + code);
        }
    }

    public final long queueId;

    /**
     * The copy set that the queue belongs to, see {@link io.godwit.core.store.CopySets}; 0: this
     * node alone has it. Set before the first operation on the queue.
     */
    public int copySet;

    /** Number of the epoch under which this node writes as the queue's leader. */
    public volatile long epoch;

    /** Highest id of an append that was written; clock 0 before the first of this start. */
    public long writtenClock;

    public int writtenServer;

    /** Where the interval of coverage begins that this start adds to; the server is the node. */
    public long coveredFrom;

    /** Its coverage has grown since it was written down. */
    public boolean isCoverageDue;

    /** Which part of a record has it in its table, and where. */
    public long tablePart;

    public int tableIndex;

    /** What the store has of it in rows; null when that is nothing. */
    public @Nullable Object rows;

    public QueueHandle(long queueId) {
        this.queueId = queueId;
    }
}
