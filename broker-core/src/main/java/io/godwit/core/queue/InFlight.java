package io.godwit.core.queue;

import io.godwit.core.store.CommitWaiter;
import io.godwit.core.store.RowRead;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was sent to one client and is not acknowledged: the window, what of it is to be sent again
 * after a reconnect, and what an earlier start has left of it on disk, which is read before
 * anything is sent.
 */
final class InFlight {
    private final ClientQueue queue;
    private final InFlightWindow window;
    private long bytes;

    /** What PUBREC came for, in that order; null = none. An earlier start's: in that of the ids. */
    private @Nullable ArrayDeque<QueueEntry> released;

    /** After a reconnect: what is in flight and not sent again yet, in order. */
    private @Nullable ArrayDeque<QueueEntry> again;

    private int againLeft;

    private @Nullable Unread unread;

    /** Of the queue itself; the predecessor has its own. */
    private final SentRows restored = new SentRows();

    /** What is still on disk of an earlier start's window. */
    private static final class Unread {
        int count;
        long after;
        boolean rowsRead = true;

        /** Whose rows are read before the queue's own. */
        @Nullable Predecessor before;

        /** The predecessor's, whose packet ids the queue itself has in flight: they get others. */
        final List<QueueEntry> displaced = new ArrayList<>(0);

        /** Their new packet ids are not kept yet, as far as is known. */
        @Nullable Predecessor displacedOf;

        @Nullable PacketIdsKept awaited;

        @Nullable RowPage reading;

        /** Entries of groups that this client has in flight, and that have not been told of yet. */
        int sharedMissing;

        final List<QueueEntry> shared = new ArrayList<>(0);
    }

    InFlight(ClientQueue queue) {
        this.queue = queue;
        this.window = new InFlightWindow(queue.shard().rules);
    }

    int size() {
        return window.size();
    }

    /** With those on disk. */
    int count() {
        Unread left = unread;
        return window.size()
                + (left == null ? 0 : left.count + left.sharedMissing + left.shared.size());
    }

    long bytes() {
        return bytes;
    }

    @Nullable QueueEntry get(int packetId) {
        return window.get(packetId);
    }

    /** In that of the message ids; what is the predecessor's is first. */
    QueueEntry[] inOrder() {
        QueueEntry[] entries = window.inOrder();
        Predecessor before = queue.predecessor();
        if (before != null) {
            Arrays.sort(entries, Comparator.comparing(entry -> !before.has(entry)));
        }
        return entries;
    }

    /** Sent on this connection and not acknowledged. */
    int sent() {
        return again == null ? window.size() : window.size() - againLeft;
    }

    /** Nothing older has to be sent first. */
    boolean isSentAgain() {
        return again == null && unread == null;
    }

    // ---------------------------------------------------------------- in and out

    /** Gives the entry its packet id. */
    void add(QueueEntry entry) {
        window.add(entry);
        account(entry.accountedBytes());
    }

    void remove(QueueEntry entry) {
        if (window.remove(entry.packetId) != null) {
            account(-entry.accountedBytes());
        }
        if (entry.again) {
            entry.again = false;
            againLeft--;
        }
        if (released != null && entry.state == QueueEntry.RELEASED) {
            released.remove(entry); // Most often the first.
        }
    }

    /** PUBREC came: a marker is left. */
    void release(QueueEntry entry) {
        account(-entry.accountedBytes());
        if (entry.state != QueueEntry.RELEASED) {
            addReleased(entry);
        }
        entry.state = QueueEntry.RELEASED;
        entry.dropMessage();
        account(entry.accountedBytes());
    }

    private void addReleased(QueueEntry entry) {
        ArrayDeque<QueueEntry> all = released;
        if (all == null) {
            all = new ArrayDeque<>(2);
            released = all;
        }
        all.add(entry);
    }

    private void account(long change) {
        bytes += change;
        queue.shard().accounts.inFlight(change);
    }

    /** The session has ended. */
    void clear() {
        giveUpReading();
        released = null;
        for (QueueEntry entry : inOrder()) {
            queue.endShared(entry);
        }
        if (unread != null) {
            unread.shared.forEach(queue::endShared);
        }
        account(-bytes);
    }

    // ---------------------------------------------------------------- sending again

    void onConnected() {
        if (unread != null) {
            read();
        } else {
            begin();
        }
    }

    /**
     * In the order of the ids; but where one is released the turn is that of the one whose PUBREC
     * came first among those: PUBREL leaves in the order of the PUBRECs [MQTT-4.6.0-4].
     */
    private void begin() {
        if (window.size() == 0) {
            again = null;
            return;
        }
        ArrayDeque<QueueEntry> all = new ArrayDeque<>(window.size());
        Iterator<QueueEntry> byPubRec =
                released == null ? Collections.emptyIterator() : released.iterator();
        for (QueueEntry entry : inOrder()) {
            entry.again = true;
            boolean isReleased = entry.state == QueueEntry.RELEASED;
            all.add(isReleased && byPubRec.hasNext() ? byPubRec.next() : entry);
        }
        againLeft = window.size();
        again = all;
    }

    void onConnectionLost() {
        again = null;
        if (released != null && released.isEmpty()) {
            released = null;
        }
        giveUpReading();
    }

    /** The next to be sent again, or null when all were. */
    @Nullable QueueEntry peekAgain() {
        ArrayDeque<QueueEntry> left = again;
        while (left != null) {
            QueueEntry entry = left.peek();
            if (entry == null) {
                again = null;
                return null;
            }
            if (entry.again) {
                return entry;
            }
            left.remove(); // Acknowledged before it was sent again.
        }
        return null;
    }

    /** It is sent again. */
    void tookAgain(QueueEntry entry) {
        entry.again = false;
        againLeft--;
    }

    // ---------------------------------------------------------------- what an earlier start left

    /**
     * @param shared entries of groups that will be told of one by one
     */
    void restore(int rows, int shared) {
        if (rows > 0 || shared > 0) {
            Unread left = toRead();
            left.count += rows;
            left.rowsRead &= rows == 0;
            left.sharedMissing = shared;
        }
    }

    /** Rows of the predecessor, too. */
    void precededBy(Predecessor before, int rows) {
        if (rows > 0) {
            Unread left = toRead();
            left.count += rows;
            left.before = before;
        }
    }

    private Unread toRead() {
        Unread left = unread;
        if (left == null) {
            left = new Unread();
            unread = left;
        }
        return left;
    }

    /** A group has this entry in flight to this client; null when it has ended instead. */
    void onShared(@Nullable QueueEntry entry) {
        Unread left = unread;
        if (left != null) {
            left.sharedMissing--;
            if (entry != null) {
                left.shared.add(entry);
            }
            endReading();
        }
    }

    boolean isRead() {
        return unread == null;
    }

    /** Asks for the next page, unless one is under way. */
    void read() {
        Unread left = unread;
        if (left != null && left.displacedOf != null) {
            awaitPacketIds(left, left.displacedOf);
        } else if (left != null
                && left.reading == null
                && (left.before != null || !left.rowsRead)) {
            DurableQueue of = left.before == null ? queue : left.before;
            RowPage.Entries page =
                    new RowPage.Entries(
                            of,
                            RowRead.Section.IN_FLIGHT,
                            left.after,
                            Long.MAX_VALUE,
                            queue.shard().durable.pageMessages(),
                            this::onPage);
            left.reading = page;
            of.kept().read(page);
        }
    }

    void giveUpReading() {
        Unread left = unread;
        if (left != null && left.reading != null) {
            left.reading.cancel();
            left.reading = null;
        }
        if (left != null && left.awaited != null) {
            left.awaited.isCancelled = true;
            left.awaited = null;
        }
    }

    private void onPage(RowPage.Entries page, @Nullable Throwable failure) {
        Unread left = unread;
        if (left == null) {
            return;
        }
        left.reading = null;
        if (failure != null) {
            queue.onReadFailed(failure);
            return;
        }
        for (QueueEntry entry : page.entries) {
            left.after = entry.messageId;
            left.count = Math.max(0, left.count - 1);
            install(entry);
        }
        if (!page.isLast && !page.entries.isEmpty()) {
            read();
            return;
        }
        if (left.before == null) {
            left.rowsRead = true;
        } else {
            left.before = null;
            left.after = 0;
            read();
        }
        endReading();
    }

    private void endReading() {
        Unread left = unread;
        if (left == null || left.before != null || !left.rowsRead || left.sharedMissing > 0) {
            return;
        }
        left.shared.forEach(this::installShared);
        left.shared.clear();
        Predecessor before = queue.predecessor();
        if (before != null && !left.displaced.isEmpty()) {
            left.displaced.forEach(this::add);
            left.displaced.forEach(before.kept()::inFlight);
            left.displaced.clear();
            left.displacedOf = before;
            awaitPacketIds(left, before);
            return;
        }
        unread = null;
        Outlet to = queue.outlet();
        if (to != null && to.isConnected()) {
            begin();
        }
        queue.onInFlightRead();
    }

    /** Unless its client has said already that it got it. */
    private void installShared(QueueEntry entry) {
        QueueEntry marker = window.get(entry.packetId);
        if (marker != null && marker.hasMarker && marker.messageId == entry.messageId) {
            marker.source = entry.source;
            marker.mayLeave = false;
            queue.gotShared(marker);
        } else {
            install(entry);
        }
    }

    /**
     * The client may have been sent both under one packet id, by two sessions: it knows that of the
     * later one. What it has got of the other one is over, and the rest is sent under a new id.
     */
    private void displace(QueueEntry holder) {
        Unread left = unread;
        Predecessor before = queue.predecessor();
        if (left == null || before == null || !before.has(holder)) {
            return;
        }
        if (holder.state == QueueEntry.RELEASED) {
            queue.finish(holder, true);
        } else {
            remove(holder);
            left.displaced.add(holder);
        }
    }

    /** Nothing is sent before the new packet ids are kept: at QoS 2 it could come twice. */
    private void awaitPacketIds(Unread left, Predecessor before) {
        if (left.awaited == null) {
            PacketIdsKept awaited = new PacketIdsKept();
            left.awaited = awaited;
            before.kept().whenKept(awaited);
        }
    }

    /** On the shard that has asked; a queue that goes to another one asks anew. */
    private final class PacketIdsKept implements CommitWaiter {
        private boolean isCancelled;

        @Override
        public void onCommit(boolean durable) {
            Unread left = unread;
            if (isCancelled || left == null) {
                return;
            }
            left.awaited = null;
            if (durable) {
                left.displacedOf = null;
                endReading();
            } else {
                queue.onStoreFailed();
            }
        }
    }

    private void install(QueueEntry entry) {
        QueueEntry holder = window.get(entry.packetId);
        if (holder != null) {
            displace(holder);
        }
        window.install(entry);
        account(entry.accountedBytes());
        if (entry.state == QueueEntry.RELEASED) {
            addReleased(entry);
        }
        Predecessor before = queue.predecessor();
        if (before != null && before.has(entry)) {
            before.onInFlight(entry);
            before.sent.add(entry.messageId);
        } else if (entry.source == null && !entry.hasMarker) {
            restored.add(entry.messageId);
        }
    }

    /** Whether an idle row of this id is one that was sent. */
    boolean wasRow(long messageId) {
        return restored.contains(messageId);
    }

    /** Idle rows up to this id are never looked at again. */
    void onCursor(long cursor) {
        restored.onCursor(cursor);
    }
}
