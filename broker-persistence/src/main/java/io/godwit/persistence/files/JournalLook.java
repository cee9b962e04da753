package io.godwit.persistence.files;

import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Journal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A journal that nobody has open, to be looked at: nothing is changed. Records are shown up to the
 * first damage; what can be read behind it, apart. Reading goes segment by segment.
 */
public final class JournalLook implements Journal {
    /**
     * A segment that holds records.
     *
     * @param last its last record before any damage; one below its first: none
     */
    private record Part(Path file, SegmentHeader header, long last) {}

    private final String where;
    private final List<Part> parts = new ArrayList<>();
    private final List<String> damage = new ArrayList<>();
    private long released;

    /** Parts from here on lie behind damage; -1: none was found. */
    private int whole = -1;

    private long lastKnown;
    private boolean isMissing;

    private JournalLook(Path folder) {
        where = folder.toString();
    }

    /** Reads all of it. */
    public static JournalLook at(Path folder) throws IOException {
        JournalLook look = new JournalLook(folder);
        look.read(folder);
        return look;
    }

    private void read(Path folder) throws IOException {
        Path listFile = folder.resolve(SegmentList.NAME);
        SegmentList list = null;
        if (Files.exists(listFile)) {
            list = SegmentList.of(Files.readAllBytes(listFile));
        }
        List<SegmentList.Entry> entries;
        long synced = 0;
        if (list == null) {
            entries = found(folder);
            boolean isThere = Files.exists(listFile);
            isMissing = !isThere && entries.isEmpty();
            if (!isMissing) {
                damage.add(
                        "its file "
                                + SegmentList.NAME
                                + (isThere ? " can't be read" : " is missing"));
            }
        } else {
            entries = list.entries();
            released = list.released();
            synced = list.synced();
        }
        for (int i = 0; i < entries.size(); i++) {
            boolean isLast = i == entries.size() - 1;
            add(folder, entries.get(i), isLast ? synced : entries.get(i + 1).first() - 1, isLast);
        }
        if (whole < 0) {
            whole = parts.size();
        }
    }

    /** Without a list: every segment that has a header, by number. */
    private static List<SegmentList.Entry> found(Path folder) throws IOException {
        List<SegmentList.Entry> entries = new ArrayList<>();
        if (!Files.isDirectory(folder)) {
            return entries;
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path each : files.sorted().toList()) {
                String name = each.getFileName().toString();
                SegmentHeader header = name.endsWith(".segment") ? header(each) : null;
                if (header != null) {
                    entries.add(new SegmentList.Entry(name, header.segment(), header.first()));
                }
            }
        }
        entries.sort((a, b) -> Long.compare(a.segment(), b.segment()));
        return entries;
    }

    private static @Nullable SegmentHeader header(Path file) throws IOException {
        try (FileLook look = new FileLook(file)) {
            return SegmentHeader.of(SegmentReader.read(look, Format.SEGMENT_HEADER));
        }
    }

    private void add(Path folder, SegmentList.Entry entry, long mustReach, boolean isLast)
            throws IOException {
        Path file = folder.resolve(entry.file());
        SegmentHeader header = Files.exists(file) ? header(file) : null;
        lastKnown = Math.max(lastKnown, mustReach);
        if (header == null || header.segment() != entry.segment()) {
            damaged(
                    "its segment "
                            + entry.file()
                            + (Files.exists(file) ? " has no readable header" : " is missing"),
                    entry.first());
            return;
        }
        long last = header.first() - 1;
        SegmentReader.Behind behind;
        int end;
        try (FileLook look = new FileLook(file)) {
            SegmentReader reader = new SegmentReader(header, look, header.length());
            while ((isLast || last < mustReach) && reader.next(last + 1)) {
                last++;
            }
            end = reader.end();
            behind = isLast || last < mustReach ? reader.behind(last + 1) : null;
        }
        parts.add(new Part(file, header, last));
        boolean isDamaged = last < mustReach || behind != null && behind.synced() > last;
        if (isDamaged && behind != null) {
            lastKnown = Math.max(lastKnown, behind.last());
        }
        lastKnown = Math.max(lastKnown, last);
        if (isDamaged) {
            damaged(
                    "its segment "
                            + entry.file()
                            + " can't be read from byte "
                            + end
                            + " on, at position "
                            + (last + 1),
                    last + 1);
        }
    }

    private void damaged(String what, long at) {
        if (whole < 0) {
            whole = parts.size();
        }
        damage.add(what + " (records up to " + Math.max(lastKnown, at) + " were written)");
    }

    /** What is wrong with it; empty when it is whole. A torn end is no damage. */
    public List<String> damage() {
        return List.copyOf(damage);
    }

    /** There is none: right for a store that was never committed to. */
    public boolean isMissing() {
        return isMissing;
    }

    /** The highest position that is known to have been written. */
    public long lastKnown() {
        return lastKnown;
    }

    /** Nothing up to this position is needed. */
    public long released() {
        return released;
    }

    /**
     * Shows what stands behind a position, up to the first damage or gap.
     *
     * @return position of the last record shown, or the one that was given
     */
    public long show(long after, Visitor visitor) throws DiskFailure {
        long next = after + 1;
        for (Part part : parts.subList(0, whole)) {
            if (part.last < next) {
                continue;
            }
            if (part.header.first() > next) {
                break;
            }
            show(part, next, visitor);
            next = part.last + 1;
        }
        return next - 1;
    }

    /** Shows what can be read behind the damage, in segments of their own. */
    public void showBehind(long after, Visitor visitor) throws DiskFailure {
        for (Part part : parts) {
            if (part.last > after) {
                show(part, Math.max(after + 1, part.header.first()), visitor);
            }
        }
    }

    private void show(Part part, long from, Visitor visitor) throws DiskFailure {
        try (FileLook look = new FileLook(part.file)) {
            SegmentReader reader = new SegmentReader(part.header, look, part.header.length());
            for (long position = part.header.first(); position <= part.last; position++) {
                if (!reader.next(position)) {
                    throw new IOException(part.file + " changes while it is read");
                }
                if (position >= from) {
                    visitor.record(position, reader.record());
                }
            }
        } catch (IOException e) {
            throw new DiskFailure("can't read the journal in " + where, e);
        }
    }

    @Override
    public void replay(long after, Visitor visitor) throws DiskFailure {
        show(after, visitor);
    }

    @Override
    public void append(long position, byte[] record, int length) {
        throw new UnsupportedOperationException("opened for looking");
    }

    @Override
    public void sync() {}

    @Override
    public void release(long upTo) {}

    @Override
    public long bytes() {
        return 0;
    }

    @Override
    public void close() {}
}
