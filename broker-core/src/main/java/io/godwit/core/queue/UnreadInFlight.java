package io.godwit.core.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.store.CommitWaiter;
import io.godwit.core.store.RowRead;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Brings what an earlier start has left in flight back into the window: the rows of the
 * predecessor, then the queue's own. Nothing is sent before all of it is there. There is one until
 * then.
 */
final class UnreadInFlight {
    private final ClientQueue queue;
    private final InFlight inFlight;

    /** Rows that were not read yet. */
    private int rows;

    /** Id of the last row that was read. */
    private HybridId after = HybridId.NONE;

    /** Bytes of the next row when its message is large, and is read by itself; else 0. */
    private int large;

    private boolean isOwnRead = true;

    /** Whose rows are read before the queue's own. */
    private @Nullable Predecessor before;

    /** The predecessor's, whose packet ids the queue itself has in flight: they get others. */
    private final List<QueueEntry> displaced = new ArrayList<>(0);

    /** Their new packet ids are not kept yet, as far as is known. */
    private @Nullable Predecessor displacedOf;

    private @Nullable PacketIdsKept awaited;

    private @Nullable RowPage reading;

    private final List<ClientQueue.InFlightReader> readers = new ArrayList<>(0);

    UnreadInFlight(ClientQueue queue, InFlight inFlight) {
        this.queue = queue;
        this.inFlight = inFlight;
    }

    int count() {
        return rows;
    }

    void add(int ownRows) {
        rows += ownRows;
        isOwnRead &= ownRows == 0;
    }

    void add(Predecessor predecessor, int itsRows) {
        rows += itsRows;
        before = predecessor;
    }

    // ---------------------------------------------------------------- pages

    /** Asks for what is to come next, unless it is under way. */
    void read() {
        if (displacedOf != null) {
            awaitPacketIds(displacedOf);
        } else if (reading == null && (before != null || !isOwnRead)) {
            DurableQueue of = before == null ? queue : before;
            RowPage.Entries page =
                    new RowPage.Entries(
                            of,
                            RowRead.Section.IN_FLIGHT,
                            after,
                            HybridId.MAX,
                            large > 0 ? 1 : queue.shard().durable.pageMessages(),
                            this::onPage);
            if (large == 0) {
                page.messageMax = LargePages.LARGE;
            }
            reading = page;
            queue.shard().read(of.kept(), page, large);
        }
    }

    /** Has someone told when all of it was read, or it is not read any more for now. */
    void tell(ClientQueue.InFlightReader reader) {
        readers.add(reader);
    }

    void tellAll(boolean isRead) {
        List<ClientQueue.InFlightReader> told = List.copyOf(readers);
        readers.clear();
        told.forEach(each -> each.onRead(isRead));
    }

    /** What was asked for is not waited for. */
    void giveUpReading() {
        tellAll(false);
        if (reading != null) {
            reading.cancel();
            reading = null;
        }
        if (awaited != null) {
            awaited.isCancelled = true;
            awaited = null;
        }
    }

    private void onPage(RowPage.Entries page, @Nullable Throwable failure) {
        if (inFlight.isRead()) {
            return;
        }
        reading = null;
        if (failure != null) {
            tellAll(false);
            queue.onReadFailed(failure);
            return;
        }
        large = page.largeNext;
        for (QueueEntry entry : page.entries) {
            after = entry.id();
            rows = Math.max(0, rows - 1);
            install(entry);
        }
        if (large > 0 || !page.isLast && !page.entries.isEmpty()) {
            read();
            return;
        }
        if (before == null) {
            isOwnRead = true;
        } else {
            before = null;
            after = HybridId.NONE;
            read();
        }
        endReading();
    }

    private void endReading() {
        if (before != null || !isOwnRead) {
            return;
        }
        Predecessor predecessor = queue.predecessor();
        if (predecessor != null && !displaced.isEmpty()) {
            displaced.forEach(inFlight::add);
            displaced.forEach(predecessor.kept()::inFlight);
            displaced.clear();
            displacedOf = predecessor;
            awaitPacketIds(predecessor);
            return;
        }
        inFlight.onRead();
    }

    // ---------------------------------------------------------------- into the window

    private void install(QueueEntry entry) {
        QueueEntry holder = inFlight.get(entry.packetId);
        if (holder != null) {
            displace(holder);
        }
        inFlight.install(entry);
    }

    /**
     * The client may have been sent both under one packet id, by two sessions: it knows that of the
     * later one. What it has got of the other one is over, and the rest is sent under a new id.
     */
    private void displace(QueueEntry holder) {
        Predecessor predecessor = queue.predecessor();
        if (predecessor == null || !predecessor.has(holder)) {
            return;
        }
        if (holder.state == QueueEntry.RELEASED) {
            queue.delivery().finish(holder, true);
        } else {
            inFlight.remove(holder);
            displaced.add(holder);
        }
    }

    /** Nothing is sent before the new packet ids are kept: at QoS 2 it could come twice. */
    private void awaitPacketIds(Predecessor predecessor) {
        if (awaited == null) {
            PacketIdsKept waiter = new PacketIdsKept();
            awaited = waiter;
            predecessor.kept().whenKept(waiter);
        }
    }

    /** On the shard that has asked; a queue that goes to another one asks anew. */
    private final class PacketIdsKept implements CommitWaiter {
        private boolean isCancelled;

        @Override
        public void onCommit(boolean isKept) {
            if (isCancelled || inFlight.isRead()) {
                return;
            }
            awaited = null;
            if (isKept) {
                displacedOf = null;
                endReading();
            } else {
                queue.fail(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "the store failed");
            }
        }
    }
}
