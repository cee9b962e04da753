package io.godwit.cluster.transport;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jctools.queues.SpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Messages of one class on their way to one peer: waiting, then sent and kept until the peer has
 * confirmed them. Its bound is bytes: twice the room.
 *
 * <p>Any thread offers; who is inside the link's gate for sending takes; who is inside the one for
 * receiving confirms; and when both are closed the links' thread takes out what is left.
 */
final class Outbox {
    /** Stands in {@link #offers} above the count once the link has ended. */
    private static final long ENDED = Long.MIN_VALUE;

    /** What an object costs besides its bytes. */
    private static final int OBJECT_BYTES = 64;

    private final long link;
    private final long roomBytes;
    private final MpscUnboundedArrayQueue<Outgoing> waiting = new MpscUnboundedArrayQueue<>(64);
    private final SpscUnboundedArrayQueue<Outgoing> sent = new SpscUnboundedArrayQueue<>(64);
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong offers = new AtomicLong();
    private final AtomicBoolean saidFull = new AtomicBoolean();
    private long taken;
    private long confirmed;
    private long offeredAtEnd;
    private final List<Unconfirmed> drained = new ArrayList<>();

    /**
     * @param link number of the link
     */
    Outbox(long link, long roomBytes) {
        this.link = link;
        this.roomBytes = roomBytes;
    }

    /** Of an {@link #offer}. */
    enum Offered {
        TAKEN,
        TOO_MUCH,
        ENDED
    }

    Offered offer(Outgoing message, boolean atAnyCost) {
        long cost = cost(message);
        if (bytes.addAndGet(cost) > 2 * roomBytes && !atAnyCost) {
            bytes.addAndGet(-cost);
            return Offered.TOO_MUCH;
        }
        // Counted before it is there: who ends the link then knows that one is still to come.
        if (offers.incrementAndGet() < 0) {
            bytes.addAndGet(-cost);
            return Offered.ENDED;
        }
        waiting.offer(message);
        return Offered.TAKEN;
    }

    boolean hasRoom() {
        if (bytes.get() < roomBytes) {
            return true;
        }
        saidFull.set(true);
        return bytes.get() < roomBytes;
    }

    /** Whether more waits than may. */
    boolean isOverrun() {
        return bytes.get() > 2 * roomBytes;
    }

    /** Whether somebody was told that there is no room, and now there is. */
    boolean takeRoomAgain() {
        return saidFull.get() && bytes.get() < roomBytes / 2 && saidFull.compareAndSet(true, false);
    }

    long bytes() {
        return bytes.get();
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    @Nullable Outgoing peek() {
        return waiting.peek();
    }

    /** The message that {@link #peek} returned leaves. */
    void take() {
        Outgoing message = waiting.poll();
        if (message != null) {
            taken++;
            sent.offer(message);
        }
    }

    /**
     * The peer has received all up to this position.
     *
     * @return false when so many were never sent
     */
    boolean confirm(long position) {
        long freed = 0;
        while (confirmed < position) {
            Outgoing message = sent.poll();
            if (message == null) {
                return false;
            }
            confirmed++;
            freed += cost(message);
        }
        if (freed > 0) {
            bytes.addAndGet(-freed);
        }
        return true;
    }

    /** Takes no more. */
    void end() {
        offeredAtEnd = offers.getAndUpdate(count -> count | ENDED) & ~ENDED;
    }

    /**
     * Takes out everything that is not confirmed, in order, once the outbox has ended.
     *
     * @return false when a thread is still about to add what it has offered: to be called again
     */
    boolean drain() {
        for (Outgoing each = sent.poll(); each != null; each = sent.poll()) {
            drained.add(new Unconfirmed(link, ++confirmed, each));
        }
        for (Outgoing each = waiting.relaxedPoll(); each != null; each = waiting.relaxedPoll()) {
            taken++;
            drained.add(new Unconfirmed(link, ++confirmed, each));
        }
        return taken >= offeredAtEnd;
    }

    List<Unconfirmed> drained() {
        return drained;
    }

    private static long cost(Outgoing message) {
        return message.bytes() + OBJECT_BYTES;
    }
}
