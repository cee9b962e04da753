package io.godwit.persistence.files;

import io.godwit.persistence.disk.StoreUnusable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt to open a journal. Damage behind the position that rows stand for ends it; what is
 * damaged before is not needed by anybody.
 */
final class JournalOpening {
    private static final Logger LOG = LoggerFactory.getLogger(JournalOpening.class);

    private final Storage storage;
    private final String where;
    private final long segmentBytes;

    JournalOpening(Storage storage, String where, long segmentBytes) {
        this.storage = storage;
        this.where = where;
        this.segmentBytes = segmentBytes;
    }

    /**
     * @param newStore for a new journal
     * @param rows position that rows stand for
     */
    FoundJournal open(long newStore, long rows) throws StoreUnusable {
        try {
            JournalJudge judge = JournalJudge.of(storage);
            boolean isUsable = false;
            try {
                FoundJournal found = open(judge, newStore, rows);
                isUsable = true;
                return found;
            } finally {
                if (!isUsable) {
                    judge.close();
                }
            }
        } catch (JournalJudge.NotThisFormat e) {
            throw new StoreUnusable(
                    "the journal in " + where + " " + e.getMessage() + ". It was not opened.", e);
        } catch (IOException e) {
            throw FoundJournal.unreadable(where, e);
        }
    }

    private FoundJournal open(JournalJudge judge, long newStore, long rows)
            throws IOException, StoreUnusable {
        if (judge.isMissing()) {
            storage.replace(
                    SegmentList.NAME,
                    new SegmentList(Format.VERSION, newStore, 1, 0, 0, List.of()).toBytes());
            return new FoundJournal(newStore, true, 1, 0, List.of(), List.of());
        }
        for (JudgedSegment.Damage each : judge.damage()) {
            if (each.last() > rows) {
                throw FoundJournal.damaged(where, each.text());
            }
            LOG.warn(
                    "The journal in {} is damaged where it is no longer needed, since everything"
                            + " up to position {} is in the tables: {}",
                    where,
                    rows,
                    each.text());
        }
        SegmentList list = judge.list();
        if (list == null) {
            throw new IllegalStateException("a list that can't be read is damage");
        }
        List<Segment> live = new ArrayList<>();
        for (JudgedSegment each : judge.segments()) {
            if (each.torn != null) {
                LOG.info(
                        "The journal in {} ends with an incomplete write after position {}; records"
                                + " up to {} in {} are dropped: they were neither synced nor acknowledged",
                        where,
                        each.segment.last,
                        each.torn.last(),
                        each.name);
            }
            live.add(each.segment);
        }
        if (!live.isEmpty()) {
            // It may have been read from the cache of a killed process. What was torn off behind it
            // never comes back: the next record begins another segment, whose listing says where
            // this one ends.
            live.getLast().file.force(false);
        }
        return new FoundJournal(
                list.store(), false, list.next(), list.released(), live, free(list));
    }

    private List<String> free(SegmentList list) throws IOException {
        List<String> listed = list.entries().stream().map(SegmentList.Entry::file).toList();
        List<String> free = new ArrayList<>();
        for (String each : storage.names()) {
            if (!JournalJudge.isSegment(each) || listed.contains(each)) {
                continue;
            }
            try (Storage.Content file = storage.open(each)) {
                if (file.length() == segmentBytes) {
                    free.add(each);
                    continue;
                }
            }
            storage.delete(each);
        }
        return free;
    }
}
