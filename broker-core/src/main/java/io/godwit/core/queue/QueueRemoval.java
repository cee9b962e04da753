package io.godwit.core.queue;

import static java.util.Comparator.naturalOrder;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.queue.WaitingPage.Place;
import io.godwit.core.store.CommitWaiter;
import io.godwit.core.store.ExpiredRow;
import io.godwit.core.store.KeptQueue;
import io.godwit.core.store.RowRead;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Removes some of what waits in a session's queue, a slice at a time: each ends as a discarded one
 * does. What is in flight, and entries of shared groups, stay. Rows are removed by their ids, after
 * what an earlier start has left in flight was read: the store may show that as idle.
 */
public final class QueueRemoval {
    /** Entries of one slice. */
    private static final int SLICE = 64;

    private final ClientQueue queue;
    private final Wanted wanted;
    private final int max;
    private final Host host;

    /** Of the queue that it began with: both are copied together with what goes before it. */
    private final KeptQueue kept;

    private int removed;

    /** Whether it is done with what goes before the queue. */
    private boolean isOwn;

    /** Runs the slices of a removal, and takes its result. */
    public interface Host {
        /** Whether the queue is on this shard still. */
        boolean isHere();

        /** Runs the next slice later, on this shard. */
        void later(Runnable slice);

        /**
         * Takes the end of it. Exactly one of these three is called, and once.
         *
         * @param removed how many, persisted by now
         * @param inFlight how many are not removed since they are in flight
         * @param isEnd whether nothing of what is wanted waits any more
         */
        void onRemoved(int removed, int inFlight, boolean isEnd);

        /**
         * Is told that the queue is not here any more, or its rows are wanted by its connection.
         *
         * @param before how many were removed
         */
        void onMoved(int before);

        /** Is told that the store has failed. */
        void onFailure(String why);
    }

    private QueueRemoval(ClientQueue queue, Wanted wanted, int max, Host host) {
        this.queue = queue;
        this.wanted = wanted;
        this.max = max;
        this.host = host;
        this.kept = queue.kept();
    }

    /** Removes single entries; on the queue's shard. */
    public static void remove(ClientQueue queue, List<Place> places, Host host) {
        new QueueRemoval(queue, new These(places), places.size(), host).step();
    }

    /**
     * Removes all that waits; on the queue's shard.
     *
     * @param upToClock of the last message id that is removed: see {@link #lastClock}
     * @param max about so many at most
     */
    public static void purge(ClientQueue queue, long upToClock, int max, Host host) {
        new QueueRemoval(queue, new AllUpTo(HybridId.lastOf(upToClock)), max, host).step();
    }

    /** Returns the clock of the last message id of what waits; 0: nothing does. */
    public static long lastClock(ClientQueue queue) {
        DurableQueue before = queue.before();
        return before == null
                ? queue.lastMessageId()
                : Math.max(before.lastMessageId(), queue.lastMessageId());
    }

    private void step() {
        if (!host.isHere()) {
            host.onMoved(removed);
            return;
        }
        if (!queue.isInFlightRead()) {
            queue.readInFlight(isRead -> {
                if (isRead) {
                    host.later(this::step);
                } else {
                    host.onMoved(removed);
                }
            });
            return;
        }
        while (true) {
            DurableQueue before = queue.before();
            DurableQueue of = isOwn || before == null ? queue : before;
            int some = removeInMemory(of);
            removed += some;
            if (removed >= max) {
                end(false);
                return;
            }
            if (some == SLICE) {
                host.later(this::step);
                return;
            }
            RowRead rows = wanted.rows(of, this);
            if (rows != null) {
                of.kept().read(rows);
                return;
            }
            if (of == queue) {
                end(true);
                return;
            }
            isOwn = true;
        }
    }

    private int removeInMemory(DurableQueue of) {
        return of.backlog.removeSome(
                entry -> !entry.isGroups() && wanted.has(of.queueId(), entry), SLICE);
    }

    private void end(boolean isEnd) {
        queue.leavePredecessor();
        int inFlight = 0;
        for (QueueEntry entry : queue.inFlightEntries()) {
            if (!entry.isGroups() && wanted.hasInFlight(entry)) {
                inFlight++;
            }
        }
        int left = inFlight;
        CommitWaiter done =
                isKept -> {
                    if (isKept) {
                        host.onRemoved(removed, left, isEnd);
                    } else {
                        host.onFailure("the store failed");
                    }
                };
        if (queue.isDurable()) {
            kept.whenKept(done);
        } else {
            done.onCommit(true);
        }
        queue.delivery().goOn(); // Pages that were asked for may have been given up.
    }

    private void onRows(Rows rows, @Nullable Throwable failure) {
        if (!host.isHere()) {
            host.onMoved(removed);
            return;
        }
        if (failure != null) {
            host.onFailure("the rows of the queue could not be read");
            queue.delivery().goOn();
            return;
        }
        DiskRows disk = rows.of.backlog.rows;
        if (disk != null && queue.isInFlightRead()) {
            int gone = disk.discard(rows.found);
            if (gone > 0) {
                queue.countDropped(Metric.DROPPED_REMOVED, null, gone);
            }
            removed += gone;
            wanted.passed(disk, rows);
        }
        host.later(this::step);
    }

    // ---------------------------------------------------------------- what is wanted

    private sealed interface Wanted {
        /** Whether an entry that waits in memory is to go. */
        boolean has(long queueId, QueueEntry entry);

        /** Whether one that is in flight is told of. */
        boolean hasInFlight(QueueEntry entry);

        /** The rows to look at next; null: there are none. */
        @Nullable RowRead rows(DurableQueue of, QueueRemoval asking);

        /** These rows were looked at. */
        void passed(DiskRows disk, Rows rows);
    }

    private static final class These implements Wanted {
        private final List<Place> places;
        private final Set<Place> all;
        private final HybridId first;
        private final HybridId last;

        /** The next whose row has not been looked at. */
        private int next;

        These(List<Place> places) {
            this.places = List.copyOf(places);
            this.all = Set.copyOf(places);
            this.first = places.stream().map(Place::id).min(naturalOrder()).orElse(HybridId.MAX);
            this.last = places.stream().map(Place::id).max(naturalOrder()).orElse(HybridId.NONE);
        }

        @Override
        public boolean has(long queueId, QueueEntry entry) {
            return HybridId.compare(entry.messageId, entry.server, first.clock(), first.server())
                            >= 0
                    && HybridId.compare(entry.messageId, entry.server, last.clock(), last.server())
                            <= 0
                    && all.contains(new Place(queueId, entry.id()));
        }

        @Override
        public boolean hasInFlight(QueueEntry entry) {
            return has(entry.queueId, entry);
        }

        @Override
        public @Nullable RowRead rows(DurableQueue of, QueueRemoval asking) {
            for (; next < places.size(); next++) {
                HybridId id = places.get(next).id();
                if (places.get(next).queueId() == of.queueId()
                        && of.backlog.isUnread(id.clock(), id.server())) {
                    next++;
                    return new Rows(of, id.before(), id, 1, asking::onRows);
                }
            }
            next = 0; // Of the next queue.
            return null;
        }

        @Override
        public void passed(DiskRows disk, Rows rows) {}
    }

    private record AllUpTo(HybridId last) implements Wanted {
        @Override
        public boolean has(long queueId, QueueEntry entry) {
            return HybridId.compare(entry.messageId, entry.server, last.clock(), last.server())
                    <= 0;
        }

        @Override
        public boolean hasInFlight(QueueEntry entry) {
            return true;
        }

        @Override
        public @Nullable RowRead rows(DurableQueue of, QueueRemoval asking) {
            DiskRows disk = of.backlog.rows;
            if (disk == null || !disk.isMore) {
                return null;
            }
            HybridId upTo = disk.upTo().compareTo(last) < 0 ? disk.upTo() : last;
            return disk.cursor().isBelow(upTo)
                    ? new Rows(of, disk.cursor().id(), upTo, SLICE, asking::onRows)
                    : null;
        }

        @Override
        public void passed(DiskRows disk, Rows rows) {
            boolean isEnd = rows.isLast || rows.found.isEmpty();
            disk.passRemoved(rows.after, isEnd ? rows.upTo : rows.last());
        }
    }

    /** Ids and sizes of rows. */
    private static final class Rows extends RowRead {
        private final DurableQueue of;
        private final BiConsumer<Rows, @Nullable Throwable> taker;
        private final List<ExpiredRow> found = new ArrayList<>();

        Rows(
                DurableQueue of,
                HybridId after,
                HybridId upTo,
                int max,
                BiConsumer<Rows, @Nullable Throwable> taker) {
            super(of.queueId(), Section.IDLE, after, upTo, max, RowPage.BYTES_MAX);
            this.of = of;
            this.taker = taker;
        }

        HybridId last() {
            ExpiredRow row = found.getLast();
            return new HybridId(row.messageId(), row.server());
        }

        @Override
        public boolean wantsMessages() {
            return false;
        }

        @Override
        public void row(
                long messageId,
                int qos,
                boolean retain,
                int[] ids,
                @Nullable Message message,
                int packetId,
                @Nullable Object note) {
            found.add(new ExpiredRow(messageId, server, rowBytes));
        }

        @Override
        public void marker(long messageId, int packetId) {
            throw new IllegalStateException("no marker was asked for");
        }

        @Override
        public int work() {
            return 1 + found.size();
        }

        @Override
        public void onRead(@Nullable Throwable failure) {
            taker.accept(this, failure);
        }
    }
}
