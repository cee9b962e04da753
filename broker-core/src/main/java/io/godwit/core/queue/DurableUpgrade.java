package io.godwit.core.queue;

import java.util.ArrayDeque;
import java.util.Collection;

/**
 * A part that has become durable while it holds messages: they are kept piece by piece, first what
 * is in flight and then what waits, so that no turn is long.
 */
final class DurableUpgrade {
    private final PartQueue part;
    private final ArrayDeque<PartEntry> inFlight = new ArrayDeque<>(0);

    DurableUpgrade(PartQueue part) {
        this.part = part;
    }

    /**
     * @param sent of the part, what members have in flight
     */
    void begin(Collection<PartEntry> sent) {
        inFlight.addAll(sent);
        part.backlog.tail().beginKeeping();
    }

    boolean isUnderWay() {
        return !inFlight.isEmpty() || part.backlog.tail().isKeeping();
    }

    /** A member gets an entry whose publisher waits for it to be kept. */
    void onSent(PartEntry entry) {
        inFlight.add(entry);
    }

    /**
     * Keeps at most so many.
     *
     * @return how many it has looked at
     */
    int keepSome(int max) {
        int n = 0;
        PartEntry entry;
        while (n < max && (entry = inFlight.poll()) != null) {
            n++;
            if (!entry.isEnded && entry.isOut) {
                keepOrSettle(entry);
            }
        }
        Backlog backlog = part.backlog;
        while (n < max && (entry = (PartEntry) backlog.tail().pollUnkept()) != null) {
            n++;
            backlog.account(entry, -1);
            keepOrSettle(entry);
            backlog.tail().addKept(entry);
            backlog.account(entry, 1);
        }
        return n;
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
