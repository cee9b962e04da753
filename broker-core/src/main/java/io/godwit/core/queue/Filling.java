package io.godwit.core.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.store.CopyPage;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.SessionMoves;
import org.jspecify.annotations.Nullable;

/**
 * The part of a client's queue that comes in pages from its former home: everything up to the mark,
 * in id order, and delivered before what has been appended here since. It has the queue id of the
 * queue itself, and is left when all of it has come and is delivered.
 *
 * <pre>
 *   delivered | here (this part) | still there, in pages | appended here (the queue itself)
 *                            upTo ^                  mark ^
 * </pre>
 */
public final class Filling extends Predecessor {
    /** Messages and bytes in memory from which on no page is asked for. */
    private static final int MESSAGES_MAX = 4_096;

    private static final long BYTES_MAX = 4 << 20;

    private final ClientQueue queue;
    private final InFlight window;
    private final HybridId mark;

    /** What was in flight has come when everything up to this id has. */
    private final HybridId inFlightUpTo;

    private HybridId upTo;
    private boolean isWhole;
    private boolean isAsked;

    private Filling(ClientQueue queue, @Nullable QueueDepth here, SessionMoves.Filling progress) {
        super(depth(queue.queueId(), here, progress.upTo()), queue);
        this.queue = queue;
        this.window = queue.window();
        upTo = progress.upTo();
        mark = progress.mark();
        inFlightUpTo = progress.inFlightUpTo();
    }

    /**
     * A queue's entries up to a mark come in pages, from the node that had it until now; what is
     * appended here goes behind them. To be called before the queue {@linkplain #enter counts}.
     *
     * @param here what of it is here after a restart; null for nothing
     * @param progress how far its pages have come
     */
    public static void begin(
            ClientQueue queue, @Nullable QueueDepth here, SessionMoves.Filling progress) {
        Filling part = new Filling(queue, here, progress);
        queue.precededBy(part);
        HybridId mark = progress.mark();
        if (here != null && here.last().compareTo(mark) > 0) {
            // How many are above the mark is found out when they are read: all are counted below.
            queue.restoreWaiting(new QueueDepth(queue.queueId(), 1, 0, 0, mark, here.last()));
        }
        queue.idsGoOnAbove(mark);
        part.window.arrives();
        part.window.restore(here == null ? 0 : here.inFlight(), 0);
        part.tellInFlight();
    }

    private static QueueDepth depth(long queueId, @Nullable QueueDepth here, HybridId upTo) {
        return here == null || here.first().compareTo(upTo) >= 0
                ? new QueueDepth(queueId, 0, 0, 0, upTo, upTo)
                : new QueueDepth(queueId, here.idle(), here.idleBytes(), 0, here.first(), upTo);
    }

    // ---------------------------------------------------------------- pages

    @Override
    SessionMoves.@Nullable Filling progress() {
        return isWhole ? null : new SessionMoves.Filling(upTo, mark, inFlightUpTo);
    }

    @Override
    @Nullable HybridId nextPage() {
        if (isWhole || isAsked || !hasRoom()) {
            return null;
        }
        isAsked = true;
        return upTo;
    }

    private boolean hasRoom() {
        return inMemory() == 0
                || !queue.shard().accounts.isMemoryAlarm()
                        && inMemory() < MESSAGES_MAX
                        && memoryBytes() < BYTES_MAX;
    }

    @Override
    void askAgain() {
        isAsked = false;
    }

    @Override
    boolean onPage(CopyPage page) {
        if (isWhole || !page.above().equals(upTo)) {
            return false;
        }
        HybridId behind = page.above();
        for (CopyPage.Entry each : page.entries()) {
            switch (each.status()) {
                case IDLE, IN_FLIGHT -> arrive(new ArrivedEntry(queueId(), each, behind), each);
                case RELEASED, GOT -> arriveMarker(each);
            }
            behind = each.id();
        }
        upTo = page.isLast() ? mark : page.upTo();
        isWhole = page.isLast();
        isAsked = false;
        tellInFlight();
        return true;
    }

    /** What was in flight may be here by now. */
    private void tellInFlight() {
        if (isWhole || upTo.compareTo(inFlightUpTo) >= 0) {
            window.arrived();
        }
    }

    private void arrive(ArrivedEntry entry, CopyPage.Entry of) {
        entry.kept = true;
        queue.kept().append(entry);
        if (of.packetId() != 0) {
            entry.packetId = of.packetId();
            entry.state = QueueEntry.SENT;
            entry.hasLeft = true;
            queue.kept().inFlight(entry);
            window.install(entry);
        } else {
            entry.mayLeave = entry.qos < 2;
            backlog.add(entry);
        }
        queue.awaitAppend(entry);
    }

    /** PUBREC came there: a marker is enough. */
    private void arriveMarker(CopyPage.Entry of) {
        QueueEntry entry =
                new QueueEntry(queueId(), of.id().clock(), null, 2, false, of.ids(), null);
        entry.server = of.id().server();
        entry.packetId = of.packetId();
        entry.ingress(of.ingressServer(), of.ingressCounter());
        entry.state = QueueEntry.RELEASED;
        entry.hasMarker = true;
        entry.hasLeft = true;
        queue.kept()
                .putMarker(
                        entry.messageId,
                        entry.server,
                        entry.packetId,
                        of.ingressServer(),
                        of.ingressCounter());
        window.install(entry);
    }

    // ---------------------------------------------------------------- as a part of the queue

    @Override
    boolean isFilling() {
        return !isWhole;
    }

    @Override
    boolean has(QueueEntry entry) {
        return entry.queueId == queueId()
                && HybridId.compare(entry.messageId, entry.server, mark.clock(), mark.server())
                        <= 0;
    }

    @Override
    boolean endsAbove(HybridId id) {
        return id.compareTo(mark) <= 0;
    }

    @Override
    boolean isQueueItself() {
        return true;
    }

    /** Its rows are the queue's. */
    @Override
    void tellRows() {
        queue.tellRows();
    }
}
