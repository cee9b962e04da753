package io.godwit.core.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.RowRead;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Entries of one part that do not wait there: a member has them in flight, or the group has just
 * taken them out. The store has a mark of those that nobody else may get.
 */
final class PartInFlight {
    private final PartQueue part;

    /** How many of them the store has. */
    private int kept;

    PartInFlight(PartQueue part) {
        this.part = part;
    }

    boolean hasKept() {
        return kept > 0;
    }

    void add(PartEntry entry) {
        entry.isOut = true;
        kept += entry.kept ? 1 : 0;
    }

    /** It waits again, or for the first time. */
    void remove(PartEntry entry) {
        entry.isOut = false;
        kept -= entry.kept ? 1 : 0;
    }

    /** The store has an entry from now on, which may be one of these. */
    void onKept(PartEntry entry) {
        kept += entry.isOut ? 1 : 0;
    }

    /** The store is told that an entry goes, which may be one of these. */
    void onEnd(PartEntry entry) {
        kept -= entry.isOut ? 1 : 0;
    }

    // ---------------------------------------------------------------- marks

    /** Marks an entry: nobody else gets it. */
    void mark(PartEntry entry, int packetId, Receiver to) {
        entry.packetId = packetId;
        entry.receiver = to;
        if (entry.kept) {
            part.kept().inFlightTo(entry, to);
        } else if (entry.waiting != null) {
            part.keep(entry); // Its publisher would send it again, and not know who has it.
        }
    }

    /** No member has it any more. */
    void unmark(PartEntry entry) {
        if (entry.receiver != null) {
            entry.receiver = null;
            entry.packetId = 0;
            if (entry.kept) {
                part.kept().idleAgain(entry);
                entry.wasMarked = true;
            }
        }
    }

    // ---------------------------------------------------------------- at start

    /** Reads a page of the marks that an earlier start has left. */
    void read(HybridId after, PartQueue.InFlightTaker taker) {
        part.kept()
                .read(
                        new RowPage.Entries(
                                part,
                                RowRead.Section.IN_FLIGHT,
                                after,
                                HybridId.MAX,
                                part.shard().durable.pageMessages(),
                                (page, failure) -> onRead(page, failure, taker)));
    }

    private void onRead(
            RowPage.Entries page, @Nullable Throwable failure, PartQueue.InFlightTaker taker) {
        List<PartEntry> entries = new ArrayList<>();
        for (QueueEntry entry : page.entries) {
            entry.isRowReadBack = false;
            entries.add((PartEntry) entry);
        }
        kept += failure == null ? entries.size() : 0;
        taker.take(entries, page.isLast || entries.isEmpty(), failure);
    }
}
