package io.godwit.persistence.files;

import io.godwit.persistence.disk.StoreUnusable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One attempt to open a journal: reads all of it, and tells a torn end from damage. */
final class JournalOpening {
    private static final Logger LOG = LoggerFactory.getLogger(JournalOpening.class);
    private static final String SEGMENT = ".segment";

    private final Storage storage;
    private final String where;
    private final long segmentBytes;

    JournalOpening(Storage storage, String where, long segmentBytes) {
        this.storage = storage;
        this.where = where;
        this.segmentBytes = segmentBytes;
    }

    static String name(long segment) {
        return String.format("%016x%s", segment, SEGMENT);
    }

    FoundJournal open(long newStore) throws StoreUnusable {
        List<Segment> live = new ArrayList<>();
        boolean isUsable = false;
        try {
            byte[] bytes = storage.read(SegmentList.NAME);
            if (bytes == null) {
                begin(newStore);
                isUsable = true;
                return new FoundJournal(newStore, true, 1, 0, live, List.of());
            }
            SegmentList list = SegmentList.of(bytes);
            if (list == null) {
                throw FoundJournal.damaged(
                        where, "its file " + SegmentList.NAME + " can't be read");
            }
            for (SegmentList.Entry each : list.entries()) {
                live.add(open(list, each));
            }
            read(list, live);
            List<String> free = free(list);
            isUsable = true;
            return new FoundJournal(list.store(), false, list.next(), list.released(), live, free);
        } catch (IOException e) {
            throw FoundJournal.unreadable(where, e);
        } finally {
            if (!isUsable) {
                close(live);
            }
        }
    }

    private void begin(long store) throws IOException, StoreUnusable {
        List<String> names = storage.names();
        List<String> segments = names.stream().filter(each -> each.endsWith(SEGMENT)).toList();
        if (!segments.isEmpty()) {
            throw FoundJournal.damaged(
                    where,
                    "its file "
                            + SegmentList.NAME
                            + " is missing, but there are "
                            + segments.size()
                            + " segments");
        }
        storage.replace(SegmentList.NAME, new SegmentList(store, 1, 0, 0, List.of()).toBytes());
    }

    private Segment open(SegmentList list, SegmentList.Entry entry)
            throws IOException, StoreUnusable {
        if (!storage.names().contains(entry.file())) {
            throw FoundJournal.damaged(where, "its segment " + entry.file() + " is missing");
        }
        Storage.Content file = storage.open(entry.file());
        SegmentHeader header = SegmentHeader.of(SegmentReader.read(file, Format.SEGMENT_HEADER));
        String fault = fault(list, entry, header, file.length());
        if (header == null || fault != null) {
            file.close();
            throw FoundJournal.damaged(where, "its segment " + entry.file() + " " + fault);
        }
        return new Segment(entry.file(), file, header);
    }

    private static @Nullable String fault(
            SegmentList list,
            SegmentList.Entry entry,
            @Nullable SegmentHeader header,
            long length) {
        if (header == null) {
            return "has no readable header";
        }
        if (header.store() != list.store()) {
            return "belongs to another store";
        }
        if (header.segment() != entry.segment() || header.first() != entry.first()) {
            return "is number " + header.segment() + " instead of " + entry.segment();
        }
        if (length != header.length()) {
            return "is " + length + " bytes long instead of " + header.length();
        }
        return null;
    }

    private void read(SegmentList list, List<Segment> live) throws IOException, StoreUnusable {
        for (int i = 0; i < live.size(); i++) {
            Segment segment = live.get(i);
            SegmentReader reader =
                    new SegmentReader(segment.header, segment.file, segment.header.length());
            boolean isLast = i == live.size() - 1;
            // What lies before the newest segment was synced before that was listed.
            long whole = isLast ? list.synced() : live.get(i + 1).header.first() - 1;
            long most = isLast ? Long.MAX_VALUE : whole;
            while (segment.last < most && reader.next(segment.last + 1)) {
                segment.appended(segment.last + 1, reader.end());
            }
            SegmentReader.Behind behind =
                    isLast || segment.last < whole ? reader.behind(segment.last + 1) : null;
            if (segment.last < whole || behind != null && behind.synced() > segment.last) {
                throw FoundJournal.damaged(where, damage(segment, whole, behind));
            }
            if (isLast) {
                settle(segment, behind);
            }
        }
    }

    /**
     * The end as it was read is what counts from now on: it is synced, since it may have been read
     * from the cache of a killed process, and what was torn can't come back behind later records.
     */
    private void settle(Segment segment, SegmentReader.@Nullable Behind behind) throws IOException {
        if (behind != null) {
            LOG.info(
                    "The journal in {} was torn behind position {}; records up to {} in {} are"
                            + " dropped: nothing of them was synced or acknowledged",
                    where,
                    segment.last,
                    behind.last(),
                    segment.name);
            segment.zero(Format.behindSynced(segment.end));
        }
        segment.file.force(false);
    }

    private static String damage(
            Segment segment, long whole, SegmentReader.@Nullable Behind behind) {
        long synced = Math.max(whole, behind == null ? 0 : behind.synced());
        return "its segment "
                + segment.name
                + " can't be read from byte "
                + segment.end
                + " on, where the record of position "
                + (segment.last + 1)
                + " should be. Records up to "
                + synced
                + " were synced and may have been acknowledged"
                + (behind == null
                        ? "; nothing readable follows there"
                        : "; records up to "
                                + behind.last()
                                + " can be read from byte "
                                + behind.offset()
                                + " on");
    }

    private List<String> free(SegmentList list) throws IOException {
        List<String> listed = list.entries().stream().map(SegmentList.Entry::file).toList();
        List<String> free = new ArrayList<>();
        for (String each : storage.names()) {
            if (!each.endsWith(SEGMENT) || listed.contains(each)) {
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

    private void close(List<Segment> segments) {
        for (Segment each : segments) {
            try {
                each.file.close();
            } catch (IOException e) {
                LOG.warn("Can't close {} of the journal in {}", each.name, where, e);
            }
        }
    }
}
