package io.godwit.core.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.store.RowRead;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Shows some of what waits in a session's queue, in its order, and takes nothing: what is in memory
 * there, and rows as far as the queue has not passed them. Entries of shared groups stand in the
 * groups' queues and are not shown.
 */
public final class WaitingPage {
    /** Where an entry stands: a client may have a queue before its own. */
    public record Place(long queueId, HybridId id) {}

    /**
     * One that waits.
     *
     * @param ageMs since it was taken in, by the clock in its id
     */
    public record Entry(Place place, int qos, boolean retain, Message message, long ageMs) {}

    /**
     * Hears what was found.
     *
     * <p>Exactly one of both is called, on the shard of the queue.
     */
    public interface Taker {
        /**
         * Takes a page.
         *
         * @param next behind which the next page begins; null: nothing follows
         */
        void onPage(List<Entry> entries, @Nullable Place next);

        /** Is told that there is none: its rows could not be read, or the session has moved. */
        void onFailure(String why);
    }

    private final DurableQueue queue;
    private final @Nullable DurableQueue following;
    private final HybridId after;
    private final int max;
    private final Taker taker;
    private final TreeMap<HybridId, Entry> found = new TreeMap<>();

    private WaitingPage(
            DurableQueue queue,
            @Nullable DurableQueue following,
            HybridId after,
            int max,
            Taker taker) {
        this.queue = queue;
        this.following = following;
        this.after = after;
        this.max = max;
        this.taker = taker;
    }

    /**
     * Reads a page; on the queue's shard.
     *
     * @param after behind which it begins; null: with the oldest
     * @param max entries that it has at most
     * @param bytesMax of rows that are read; one may go beyond
     * @param isHere whether the queue is on this shard still: asked when its rows were read
     */
    public static void read(
            ClientQueue queue,
            @Nullable Place after,
            int max,
            long bytesMax,
            BooleanSupplier isHere,
            Taker taker) {
        DurableQueue before = queue.before();
        HybridId from = after == null ? HybridId.NONE : after.id;
        WaitingPage page =
                before != null && (after == null || after.queueId == before.queueId())
                        ? new WaitingPage(before, queue, from, max, taker)
                        : new WaitingPage(queue, null, from, max, taker);
        page.read(bytesMax, isHere);
    }

    private void read(long bytesMax, BooleanSupplier isHere) {
        if (queue.backlog.hasRows()) {
            queue.kept().read(new Rows(bytesMax, isHere));
        } else {
            show(List.of(), HybridId.MAX, true);
        }
    }

    private void show(List<Row> rows, HybridId upTo, boolean isLast) {
        long now = queue.shard().clock.sureMs();
        for (Row row : rows) {
            if (queue.backlog.isUnread(row.id.clock(), row.id.server())) {
                add(row.id, row.qos, row.retain, row.message, upTo, now);
            }
        }
        queue.backlog.forEach(entry -> {
            if (!entry.isGroups()) {
                add(entry.id(), entry.qos, entry.retain, entry.message, upTo, now);
            }
        });
        boolean isCut = found.size() > max;
        while (found.size() > max) {
            found.pollLastEntry();
        }
        taker.onPage(new ArrayList<>(found.values()), next(isCut, upTo, isLast));
    }

    private void add(
            HybridId id, int qos, boolean retain, @Nullable Message of, HybridId upTo, long now) {
        if (of != null
                && id.compareTo(after) > 0
                && id.compareTo(upTo) <= 0
                && !of.isExpired(now)) {
            long ageMs = Math.max(0, now - (id.clock() >>> 16));
            found.put(id, new Entry(new Place(queue.queueId(), id), qos, retain, of, ageMs));
        }
    }

    private @Nullable Place next(boolean isCut, HybridId upTo, boolean isLast) {
        if (isCut) {
            return new Place(queue.queueId(), found.lastKey());
        }
        if (!isLast) {
            return new Place(queue.queueId(), upTo);
        }
        return following == null ? null : new Place(following.queueId(), HybridId.NONE);
    }

    private record Row(HybridId id, int qos, boolean retain, Message message) {}

    /** Rows of the queue; what was passed, and not removed on the disk yet, is among them. */
    private final class Rows extends RowRead {
        private final BooleanSupplier isHere;
        private final List<Row> rows = new ArrayList<>();

        Rows(long bytesMax, BooleanSupplier isHere) {
            super(
                    queue.queueId(),
                    Section.IDLE,
                    WaitingPage.this.after,
                    HybridId.MAX,
                    WaitingPage.this.max,
                    bytesMax);
            this.isHere = isHere;
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
            if (message != null) {
                rows.add(new Row(new HybridId(messageId, server), qos, retain, message));
            }
        }

        @Override
        public void marker(long messageId, int packetId) {
            throw new IllegalStateException("no marker was asked for");
        }

        @Override
        public void onRead(@Nullable Throwable failure) {
            if (!isHere.getAsBoolean()) {
                taker.onFailure("the session has ended, or its client has connected, meanwhile");
            } else if (failure != null) {
                taker.onFailure("the rows of the queue could not be read");
            } else {
                boolean isEnd = isLast || rows.isEmpty();
                show(rows, isEnd ? HybridId.MAX : rows.getLast().id, isEnd);
            }
        }
    }
}
