package io.godwit.core.queue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * A part that has become durable while it holds messages: they are kept piece by piece, first what
 * is in flight or has come back from there, then what waits behind it, so that no turn is long.
 */
final class DurableUpgrade {
    private final PartQueue part;

    /** Entries that do not stand in the tail: taken out of it, and perhaps back below it. */
    private final ArrayDeque<PartEntry> taken = new ArrayDeque<>(0);

    DurableUpgrade(PartQueue part) {
        this.part = part;
    }

    /**
     * Begins to keep all that the part holds.
     *
     * @param inFlight what members have in flight of the part
     */
    void begin(Collection<PartEntry> inFlight) {
        List<PartEntry> all = new ArrayList<>(inFlight);
        part.backlog.forEachBelow(entry -> all.add((PartEntry) entry));
        all.sort(QueueEntry.BY_ID);
        all.forEach(this::onTaken);
        part.backlog.tail().beginKeeping();
    }

    boolean isUnderWay() {
        return !taken.isEmpty() || part.backlog.tail().isKeeping();
    }

    /** An entry that is not kept yet has left the tail, or never stood there. */
    void onTaken(PartEntry entry) {
        if (!entry.isToBeKept) {
            entry.isToBeKept = true;
            taken.add(entry);
        }
    }

    /**
     * Keeps at most so many.
     *
     * @return how many it has looked at
     */
    int keepSome(int max) {
        int n = 0;
        PartEntry entry;
        while (n < max && (entry = taken.poll()) != null) {
            n++;
            entry.isToBeKept = false;
            if (!entry.isEnded) {
                keepTaken(entry);
            }
        }
        MemoryTail tail = part.backlog.tail();
        while (n < max && (entry = (PartEntry) tail.pollUnkept()) != null) {
            n++;
            keepWaiting(entry);
            tail.addKept(entry);
        }
        return n;
    }

    private void keepTaken(PartEntry entry) {
        if (entry.isLookedPast) {
            part.accountHeld(entry, -1);
            keepOrSettle(entry);
            part.accountHeld(entry, 1);
        } else if (entry.isOut) {
            keepOrSettle(entry);
        } else {
            keepWaiting(entry);
        }
    }

    /** What waits is accounted with the store's from now on. */
    private void keepWaiting(PartEntry entry) {
        part.backlog.account(entry, -1);
        keepOrSettle(entry);
        part.backlog.account(entry, 1);
    }

    private void keepOrSettle(PartEntry entry) {
        if (entry.kept) {
            return;
        }
        if (part.owner().isDurable()) {
            part.keep(entry);
        } else {
            entry.settle(true); // It was to be durable, and is not any more.
        }
    }
}
