package io.godwit.cluster.stream;

import io.godwit.core.ack.PublisherTask;
import io.godwit.core.ack.ReceiptListener;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * The room that an {@link OutStream} has for more: what is not answered is kept up to a bound, and
 * the link takes only so much. Whoever can wait, does until there is some. Owned by the stream's
 * shard.
 */
public final class StreamRoom {
    /** Told of bytes, and asked how many may be kept. */
    public interface Account {
        /** Changes the bytes that are kept for the node. */
        void kept(long change);

        /** Bytes that may be kept; any thread asks. */
        long max();
    }

    /** Bytes of a chunk, the step in which a link's room is used up. */
    private static final long SURE_OF_ROOM = RecordChunk.BYTES_MOST;

    private final Account account;
    private final BooleanSupplier linkTakesMore;

    /** Written by the stream's shard, read by any. */
    private final AtomicLong bytes = new AtomicLong();

    private final LinkedHashSet<Runnable> waiting = new LinkedHashSet<>(0);

    /** Bytes that may be added before room is looked at again: each message asks for it thrice. */
    private long sureOfRoom;

    /** What the account was told of chunks beyond {@link #bytes}. */
    private long unusedTold;

    /**
     * @param linkTakesMore also true when there is no link
     */
    StreamRoom(Account account, BooleanSupplier linkTakesMore) {
        this.account = account;
        this.linkTakesMore = linkTakesMore;
    }

    /** Whether more may be added by those who can wait. */
    public boolean isLeft() {
        if (sureOfRoom > 0) {
            return true;
        }
        if (isFull() || !linkTakesMore.getAsBoolean()) {
            return false;
        }
        sureOfRoom = Math.min(SURE_OF_ROOM, (account.max() - bytes.getPlain()) / 8);
        return true;
    }

    /** Whether all that may be kept for the node is; any thread asks. */
    public boolean isFull() {
        return bytes.getOpaque() >= account.max();
    }

    /** Bytes that are not answered. */
    public long usedBytes() {
        return bytes.getOpaque();
    }

    /**
     * Changes the bytes that are not answered.
     *
     * @param unused bytes of chunks that nothing is written to
     */
    void count(long change, long unused) {
        sureOfRoom -= Math.max(0, change);
        bytes.setOpaque(bytes.getPlain() + change);
        account.kept(change + unused - unusedTold);
        unusedTold = unused;
    }

    /** Another link may take less, or more. */
    void lookAgain() {
        sureOfRoom = 0;
    }

    // ---------------------------------------------------------------- who waits for it

    public void whenLeft(Runnable task) {
        if (isLeft()) {
            task.run();
        } else {
            waiting.add(task);
        }
    }

    /** Adds the connections of publishers that wait for room. */
    void addWaiting(Set<ReceiptListener> to) {
        for (Runnable each : waiting) {
            if (each instanceof PublisherTask of) {
                to.add(of.publisher());
            }
        }
    }

    /** The task need not run any more. */
    public void forget(Runnable task) {
        waiting.remove(task);
    }

    /**
     * Those who waited for room may go on, who waited longest first, until it is used up again: of
     * a hundred publishers one may do that.
     */
    public void tell() {
        for (int most = waiting.size(); most > 0 && !waiting.isEmpty() && isLeft(); most--) {
            waiting.removeFirst().run();
        }
    }

    /** Nobody need wait any more. */
    void tellAll() {
        List<Runnable> all = new ArrayList<>(waiting);
        waiting.clear();
        all.forEach(Runnable::run);
    }
}
