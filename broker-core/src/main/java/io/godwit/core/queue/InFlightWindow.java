package io.godwit.core.queue;

import io.godwit.core.settings.Rule;
import io.godwit.core.settings.Rules;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What was sent to one client and is not acknowledged, by packet id. A ring: ids are given in turn,
 * so a slot is found by the low bits of its id, and an id whose slot is held by an older one is
 * passed over until that one is free [MQTT-2.2.1-4]. Grows with what is in flight, and is halved
 * when nothing is and little was since that was so before: a session that has little to do costs
 * little, and one that is busy keeps it.
 *
 * <p>It also knows in which order PUBREC came for what is in flight, since PUBREL goes again in
 * that order.
 */
final class InFlightWindow {
    private static final int CAPACITY_FIRST = 8;
    private static final int CAPACITY_MAX = 1 << 16;

    /** Up to here it stays as it is. */
    private static final int CAPACITY_KEPT = 64;

    private @Nullable QueueEntry[] ring = new QueueEntry[CAPACITY_FIRST];
    private int count;

    /** The most that it has had since it was empty. */
    private int most;

    /** What PUBREC came for, in that order; null = none. An earlier start's: in that of the ids. */
    private @Nullable ArrayDeque<QueueEntry> released;

    private final boolean reserved;

    /** Whether ids go on behind those of {@link #install}. */
    private final boolean goesOn;

    private int lastId;

    /**
     * @param packetIdBefore the id behind which the first one is given, 0..65 535
     * @param goesOn whether ids go on behind those that an earlier start has given
     */
    InFlightWindow(Rules rules, int packetIdBefore, boolean goesOn) {
        reserved = rules.holds(Rule.PACKET_IDS_RESERVED);
        lastId = packetIdBefore;
        this.goesOn = goesOn;
    }

    int size() {
        return count;
    }

    /**
     * Gives the entry a free packet id, 1..65 535. The caller keeps the window below 65 535
     * entries.
     */
    int add(QueueEntry entry) {
        if (count >= ring.length - (ring.length >> 2) && ring.length < CAPACITY_MAX) {
            grow();
        }
        int id = lastId;
        int slot;
        do {
            id = id == 0xFFFF ? 1 : id + 1;
            slot = id & (ring.length - 1);
        } while (ring[slot] != null && reserved);
        lastId = id;
        if (ring[slot] == null) {
            count++;
            most = Math.max(most, count);
        }
        if (slot == 0 && ring.length >= CAPACITY_KEPT) {
            // The collector has to be told of all that is new in something old, with a fence.
            ring = ring.clone();
        }
        ring[slot] = entry;
        entry.packetId = id;
        return id;
    }

    /** Puts in an entry that was given its packet id by an earlier start. */
    void install(QueueEntry entry) {
        while (ring[entry.packetId & (ring.length - 1)] != null && ring.length < CAPACITY_MAX) {
            grow();
        }
        int slot = entry.packetId & (ring.length - 1);
        if (ring[slot] == null) {
            count++;
            most = Math.max(most, count);
        }
        ring[slot] = entry;
        if (goesOn) {
            lastId = entry.packetId;
        }
    }

    @Nullable QueueEntry get(int packetId) {
        QueueEntry entry = ring[packetId & (ring.length - 1)];
        return entry != null && entry.packetId == packetId ? entry : null;
    }

    @Nullable QueueEntry remove(int packetId) {
        int slot = packetId & (ring.length - 1);
        QueueEntry entry = ring[slot];
        if (entry == null || entry.packetId != packetId) {
            return null;
        }
        ring[slot] = null;
        if (--count == 0) {
            onEmpty();
        }
        return entry;
    }

    /** PUBREC came for it: it stands behind all that this was so for before. */
    void released(QueueEntry entry) {
        ArrayDeque<QueueEntry> all = released;
        if (all == null) {
            all = new ArrayDeque<>(2);
            released = all;
        }
        all.add(entry);
    }

    /** One that PUBREC came for is in flight no more. */
    void releasedEnds(QueueEntry entry) {
        if (released != null) {
            released.remove(entry); // Most often the first.
        }
    }

    /** What PUBREC came for, in that order; null for none. */
    @Nullable ArrayDeque<QueueEntry> released() {
        return released;
    }

    private void onEmpty() {
        if (ring.length > CAPACITY_KEPT && most < ring.length / 4) {
            ring = new QueueEntry[ring.length / 2];
        }
        most = 0;
    }

    /** Forgets all; ids go on where they were. */
    void clear() {
        ring = new QueueEntry[CAPACITY_FIRST];
        released = null;
        count = 0;
        most = 0;
    }

    /** How many there is room for before it grows, about. */
    int capacity() {
        return ring.length;
    }

    /** Takes no more room than what is in flight needs. */
    void shrink() {
        if (count == 0 && ring.length > CAPACITY_FIRST) {
            clear();
        }
        if (released != null && released.isEmpty()) {
            released = null;
        }
    }

    /**
     * Everything in flight, in the order of the message ids: the order in which it is sent again.
     */
    QueueEntry[] inOrder() {
        QueueEntry[] entries = new QueueEntry[count];
        int n = 0;
        for (QueueEntry entry : ring) {
            if (entry != null) {
                entries[n++] = entry;
            }
        }
        Arrays.sort(entries, QueueEntry.BY_ID);
        return entries;
    }

    private void grow() {
        @Nullable QueueEntry[] old = ring;
        ring = new QueueEntry[old.length * 2];
        for (QueueEntry entry : old) {
            if (entry != null) {
                ring[entry.packetId & (ring.length - 1)] = entry;
            }
        }
    }
}
