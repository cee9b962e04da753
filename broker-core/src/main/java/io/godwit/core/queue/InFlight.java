package io.godwit.core.queue;

import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * What was sent to one client and is not acknowledged: the window, what of it is to be sent again
 * after a reconnect, and what an earlier start has left of it on disk, which is read before
 * anything is sent.
 */
final class InFlight implements InFlightOnDisk.Window, SharedInFlight.Window {
    private final ClientQueue queue;
    private final QueueOwner owner;
    private final InFlightWindow window;
    private final long bytesMax;
    private long bytes;
    private int acknowledged;
    private long acknowledgedBytes;

    /** After a reconnect: what is in flight and not sent again yet, in order. */
    private @Nullable SendingAgain again;

    private @Nullable SendingTurn turn;

    /** What is still on disk of an earlier start's window. */
    private @Nullable UnreadInFlight unread;

    /** What is in the window, and whose messages are on disk. */
    private @Nullable InFlightOnDisk onDisk;

    /** Rows of the queue itself that were sent; the predecessor has a list of its own. */
    private final SentRows restored = new SentRows();

    InFlight(ClientQueue queue, QueueOwner owner) {
        this.queue = queue;
        this.owner = owner;
        this.bytesMax = queue.shard().others.clients().inFlightBytes();
        this.window =
                new InFlightWindow(
                        queue.shard().rules,
                        queue.shard().packetIdBefore(queue.queueId()),
                        queue.shard().doPacketIdsGoOn());
    }

    int size() {
        return window.size();
    }

    /** How many are in flight, those on disk included. */
    int count() {
        return window.size() + (unread == null ? 0 : unread.count());
    }

    long bytes() {
        return bytes;
    }

    /** Whether one more may be sent; of its bytes only what is in flight already counts. */
    boolean hasRoom(int max) {
        return window.size() < max && bytes < bytesMax;
    }

    @Override
    public @Nullable QueueEntry get(int packetId) {
        return window.get(packetId);
    }

    /** All entries in the order of their message ids; the predecessor's come first. */
    @Override
    public QueueEntry[] inOrder() {
        QueueEntry[] entries = window.inOrder();
        Predecessor before = queue.predecessor();
        if (before != null) {
            Arrays.sort(entries, Comparator.comparing(entry -> !before.has(entry)));
        }
        return entries;
    }

    /**
     * The lowest clock of what is in flight, or this one where it is lower.
     *
     * @param waiting 0 for none
     */
    long oldestClock(long waiting) {
        long oldest = waiting;
        for (QueueEntry entry : inOrder()) {
            oldest = oldest == 0 ? entry.messageId : Math.min(oldest, entry.messageId);
        }
        return oldest;
    }

    /** Sent on this connection and not acknowledged. */
    int sent() {
        return again == null ? window.size() : window.size() - again.left();
    }

    /** Nothing older has to be sent first. */
    boolean isSentAgain() {
        return again == null && unread == null && onDisk == null;
    }

    // ---------------------------------------------------------------- in and out

    /** Changes with each acknowledgement. */
    int acknowledged() {
        return acknowledged;
    }

    /** Bytes of all that has ended here. */
    long acknowledgedBytes() {
        return acknowledgedBytes;
    }

    /** Gives the entry its packet id. */
    void add(QueueEntry entry) {
        window.add(entry);
        account(entry, 1);
    }

    @Override
    public void remove(QueueEntry entry) {
        acknowledged++;
        if (window.remove(entry.packetId) != null) {
            account(entry, -1);
        }
        if (onDisk != null) {
            onDisk.remove(entry);
        }
        if (again != null) {
            again.took(entry);
        }
        if (entry.state == QueueEntry.RELEASED) {
            window.releasedEnds(entry);
        }
    }

    /** PUBREC came: a marker is left. */
    void release(QueueEntry entry) {
        acknowledged++;
        account(entry, -1);
        if (onDisk != null) {
            onDisk.remove(entry);
        }
        if (entry.state != QueueEntry.RELEASED) {
            window.released(entry);
        }
        entry.state = QueueEntry.RELEASED;
        entry.dropMessage();
        account(entry, 1);
    }

    @Override
    public void account(QueueEntry entry, int sign) {
        long change = (long) sign * entry.accountedBytes();
        bytes += change;
        acknowledgedBytes -= Math.min(0, change);
        queue.shard().accounts.inFlight(change);
        if (entry.isLarge()) {
            entry.countAgain(queue.shard().accounts, sign);
        }
    }

    /** The window comes to a shard, or leaves it. */
    void countAgain(int sign) {
        for (QueueEntry entry : window.inOrder()) {
            entry.countAgain(queue.shard().accounts, sign);
        }
    }

    /**
     * The session has ended. Its messages go, whoever still holds the queue: an entry does for as
     * long as the store has it in its window.
     */
    void clear() {
        giveUpReading();
        for (QueueEntry entry : inOrder()) {
            account(entry, -1);
            end(entry);
        }
        window.clear();
        again = null;
        endTurn();
        unread = null;
        onDisk = null;
    }

    @Override
    public void end(QueueEntry entry) {
        if (entry.isSentOfGroup()) {
            owner.sharedEnds(entry, entry.hasLeft);
        }
    }

    // ---------------------------------------------------------------- sending again

    void onConnected() {
        if (unread != null) {
            read();
        } else if (onDisk != null) {
            onDisk.giveUpReading(); // More of it may have been about to leave.
            onDisk.readBack();
        } else {
            begin();
        }
    }

    // ---------------------------------------------------------------- out of memory

    /** The client is offline: messages that are rows with their packet ids leave memory. */
    void leaveMemory() {
        if (unread == null) {
            InFlightOnDisk there = onDisk == null ? new InFlightOnDisk(queue, this) : onDisk;
            there.leave();
        }
    }

    @Override
    public boolean isIdle() {
        return queue.outlet() == null && unread == null;
    }

    @Override
    public boolean isPredecessors(QueueEntry entry) {
        Predecessor before = queue.predecessor();
        return before != null && before.has(entry);
    }

    @Override
    public void onLeft(InFlightOnDisk there) {
        onDisk = there;
    }

    @Override
    public void onBack() {
        onDisk = null;
        mayBegin();
    }

    private void mayBegin() {
        Outlet to = queue.outlet();
        if (to != null && to.isConnected()) {
            begin();
        }
        queue.onPage();
    }

    private void begin() {
        endTurn();
        again = window.size() == 0 ? null : new SendingAgain(inOrder(), window.released());
        if (again != null) {
            SendingTurn next = new SendingTurn(queue.delivery()::goOn);
            turn = next;
            next.ask(queue.shard());
        }
    }

    private void endTurn() {
        if (turn != null) {
            turn.cancel();
            turn = null;
        }
    }

    /** Whether one more of it may be sent again in this turn of the shard. */
    boolean mayTakeTurn() {
        return turn == null || turn.take(queue.shard());
    }

    void onConnectionLost() {
        window.shrink();
        again = null;
        endTurn();
        giveUpReading();
    }

    /** The next to be sent again, or null when all were. */
    @Nullable QueueEntry peekAgain() {
        SendingAgain left = again;
        QueueEntry next = left == null ? null : left.peek();
        if (next == null) {
            again = null;
            endTurn();
        }
        return next;
    }

    /** It is sent again. */
    void tookAgain(QueueEntry entry) {
        if (again != null) {
            again.took(entry);
        }
    }

    // ---------------------------------------------------------------- what an earlier start left

    void restore(int rows) {
        if (rows > 0) {
            toRead().add(rows);
        }
    }

    /** Rows of the predecessor, too. */
    void precededBy(Predecessor before, int rows) {
        if (rows > 0) {
            toRead().add(before, rows);
        }
    }

    private UnreadInFlight toRead() {
        UnreadInFlight left = unread;
        if (left == null) {
            left = new UnreadInFlight(queue, this);
            unread = left;
        }
        return left;
    }

    boolean isRead() {
        return unread == null;
    }

    /** Whether all of it is in memory. */
    boolean isInMemory() {
        return unread == null && onDisk == null;
    }

    /** Asks for the next page, unless one is under way. */
    void read() {
        if (unread != null) {
            unread.read();
        }
    }

    /** Asks for what is unread, and tells when it was read, or is not read any more for now. */
    void read(ClientQueue.InFlightReader whenRead) {
        UnreadInFlight left = unread;
        if (left == null) {
            whenRead.onRead(true);
        } else {
            left.tell(whenRead);
            left.read();
        }
    }

    void giveUpReading() {
        endTurn();
        if (unread != null) {
            unread.giveUpReading();
        }
        if (onDisk != null) {
            onDisk.giveUpReading();
        }
    }

    /** All of it is in the window. */
    void onRead() {
        UnreadInFlight read = unread;
        unread = null;
        mayBegin();
        if (read != null) {
            read.tellAll(true);
        }
    }

    /** An entry that was given its packet id by an earlier start. */
    public void install(QueueEntry entry) {
        window.install(entry);
        account(entry, 1);
        if (entry.state == QueueEntry.RELEASED) {
            window.released(entry);
        }
        Predecessor before = queue.predecessor();
        if (before != null && before.has(entry)) {
            before.onInFlight(entry);
            before.sent.add(entry);
        } else {
            restored.add(entry);
        }
    }

    /** Whether an idle row of this id is one that was sent. */
    boolean wasRow(long messageId, int server) {
        return restored.contains(messageId, server);
    }

    /** Idle rows up to this id are never looked at again. */
    void onCursor(IdMark cursor) {
        restored.onCursor(cursor);
    }
}
