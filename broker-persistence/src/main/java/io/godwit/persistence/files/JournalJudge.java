package io.godwit.persistence.files;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a whole journal and says what of it can be read, what is damaged and what was torn: for the
 * broker that opens it and for the tools that look at it. What is damaged matters to a broker only
 * behind the position that rows stand for.
 */
final class JournalJudge {
    static final String SEGMENT = ".segment";

    private final Storage storage;
    private final List<JudgedSegment> segments = new ArrayList<>();
    private final List<JudgedSegment.Damage> damage = new ArrayList<>();
    private @Nullable SegmentList list;
    private boolean isMissing;
    private long begins;
    private long lastKnown;

    private JournalJudge(Storage storage) {
        this.storage = storage;
    }

    /**
     * Reads everything. Files of {@link #segments} are open then; when it throws none is.
     *
     * @throws NotThisFormat when another Godwit wrote it
     */
    static JournalJudge of(Storage storage) throws IOException, NotThisFormat {
        JournalJudge judge = new JournalJudge(storage);
        boolean isDone = false;
        try {
            judge.read();
            isDone = true;
        } finally {
            if (!isDone) {
                judge.close();
            }
        }
        return judge;
    }

    static String name(long segment) {
        return String.format("%016x%s", segment, SEGMENT);
    }

    static boolean isSegment(String name) {
        return name.endsWith(SEGMENT);
    }

    private void read() throws IOException, NotThisFormat {
        byte[] bytes = storage.read(SegmentList.NAME);
        SegmentList found = bytes == null ? null : SegmentList.of(bytes);
        list = found;
        List<SegmentList.Entry> entries;
        long synced = 0;
        if (found == null) {
            entries = withoutList();
            isMissing = bytes == null && entries.isEmpty();
            if (!isMissing) {
                damage.add(
                        new JudgedSegment.Damage(
                                0,
                                Long.MAX_VALUE,
                                "its file "
                                        + SegmentList.NAME
                                        + (bytes != null
                                                ? " can't be read"
                                                : " is missing, but there are "
                                                        + entries.size()
                                                        + " segments")));
            }
        } else {
            if (found.format() != Format.VERSION) {
                throw new NotThisFormat(found.format());
            }
            entries = found.entries();
            synced = found.synced();
            lastKnown = Math.max(found.released(), synced);
        }
        List<String> names = storage.names();
        for (int i = 0; i < entries.size(); i++) {
            boolean isLast = i == entries.size() - 1;
            SegmentList.Entry entry = entries.get(i);
            // What lies before the newest segment was synced before that was listed.
            long reaches =
                    isLast ? Math.max(synced, entry.first() - 1) : entries.get(i + 1).first() - 1;
            read(entry, names.contains(entry.file()), reaches, isLast);
        }
        begins = entries.isEmpty() ? lastKnown + 1 : entries.getFirst().first();
    }

    /** Every segment that has a header, by number. */
    private List<SegmentList.Entry> withoutList() throws IOException {
        List<SegmentList.Entry> entries = new ArrayList<>();
        for (String name : storage.names()) {
            if (isSegment(name)) {
                try (Storage.Content file = storage.open(name)) {
                    SegmentHeader header =
                            SegmentHeader.of(SegmentReader.read(file, Format.SEGMENT_HEADER));
                    if (header != null) {
                        entries.add(new SegmentList.Entry(name, header.segment(), header.first()));
                    }
                }
            }
        }
        entries.sort((a, b) -> Long.compare(a.segment(), b.segment()));
        return entries;
    }

    private void read(SegmentList.Entry entry, boolean isThere, long synced, boolean isLast)
            throws IOException {
        lastKnown = Math.max(lastKnown, synced);
        if (!isThere) {
            lost(entry, synced, "is missing");
            return;
        }
        Storage.Content file = storage.open(entry.file());
        boolean isUsed = false;
        try {
            SegmentHeader header =
                    SegmentHeader.of(SegmentReader.read(file, Format.SEGMENT_HEADER));
            String fault = fault(entry, header, file.length());
            if (header == null || fault != null) {
                lost(entry, synced, String.valueOf(fault));
                return;
            }
            SegmentReader reader = new SegmentReader(header, file, header.length());
            JudgedSegment judged =
                    JudgedSegment.read(entry.file(), file, header, synced, isLast, reader);
            segments.add(judged);
            damage.addAll(judged.damage);
            isUsed = true;
            for (JudgedSegment.Run run : judged.runs) {
                lastKnown = Math.max(lastKnown, run.last());
            }
            for (JudgedSegment.Damage each : judged.damage) {
                lastKnown = Math.max(lastKnown, each.last());
            }
        } finally {
            if (!isUsed) {
                file.close();
            }
        }
    }

    /** The newest may hold records that nobody knows of: it counts up to its first, at least. */
    private void lost(SegmentList.Entry entry, long synced, String why) {
        damage.add(
                new JudgedSegment.Damage(
                        entry.first(),
                        Math.max(synced, entry.first()),
                        "its segment " + entry.file() + " " + why));
    }

    private @Nullable String fault(
            SegmentList.Entry entry, @Nullable SegmentHeader header, long length) {
        SegmentList known = list;
        if (header == null || header.format() != Format.VERSION) {
            return "has no readable header";
        }
        if (known != null && header.store() != known.store()) {
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

    /** The list, or null when there is none that can be read. */
    @Nullable SegmentList list() {
        return list;
    }

    /** There is no journal: right for a store that was never committed to. */
    boolean isMissing() {
        return isMissing;
    }

    /** The segments that can be read, by number. */
    List<JudgedSegment> segments() {
        return segments;
    }

    /** What is wrong, in the order of positions. */
    List<JudgedSegment.Damage> damage() {
        return damage;
    }

    /** Position of its first record, or of the next one when it holds none. */
    long begins() {
        return begins;
    }

    /** The highest position that is known to have been written. */
    long lastKnown() {
        return lastKnown;
    }

    void close() {
        for (JudgedSegment each : segments) {
            try {
                each.segment.file.close();
            } catch (IOException e) {
                // It was only read.
            }
        }
    }

    /** A Godwit with another format of the journal wrote it. */
    static final class NotThisFormat extends Exception {
        private static final long serialVersionUID = 1L;

        NotThisFormat(int format) {
            super(
                    "has format "
                            + format
                            + ", and this Godwit reads format "
                            + Format.VERSION
                            + ": start the Godwit that wrote it");
        }
    }
}
