package io.godwit.persistence.files;

import io.godwit.core.failure.FileCauses;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Journal;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a journal: those with records that are needed, those that are not needed any more,
 * and those that wait to be used again; and the list that names the first two. Under the journal's
 * lock.
 */
final class Segments {
    private static final Logger LOG = LoggerFactory.getLogger(Segments.class);

    /**
     * A flush gives back most of a journal of the usual size at once, and all of it is needed again
     * until the next: what is deleted would be written with zeros anew. There are never more than
     * the journal has had in use at some moment.
     */
    private static final int FREE_MAX = 16;

    /** Records of a segment, up to a position, that somebody reads without the lock. */
    record Stretch(Segment segment, long to) {
        void read(long after, Journal.Visitor visitor) throws IOException, DiskFailure {
            SegmentReader reader =
                    new SegmentReader(segment.header, segment.file, segment.header.length());
            long first = Math.max(after + 1, segment.header.first());
            for (long position = first; position <= to; position++) {
                if (position == first ? !reader.resume(position) : !reader.next(position)) {
                    throw new IOException(segment.name + " has lost record " + position);
                }
                visitor.record(position, reader.flags(), reader.record());
            }
        }
    }

    private final Storage storage;
    private final long segmentBytes;
    private final long store;

    /** Listed; the last one is appended to. */
    private final Deque<Segment> live;

    /** Not needed any more, but listed until the list is written next, or being read. */
    private final Deque<Segment> dropped = new ArrayDeque<>();

    /** Files that the list does not name. */
    private final Deque<String> free;

    /** Unused files wait for later use. */
    private boolean keepsFree = true;

    private long nextSegment;
    private int readers;

    Segments(Storage storage, long segmentBytes, FoundJournal found) {
        this.storage = storage;
        this.segmentBytes = segmentBytes;
        store = found.store();
        live = new ArrayDeque<>(found.live());
        free = new ArrayDeque<>(found.free());
        nextSegment = found.next();
    }

    /** Whether there never was a segment. */
    boolean isUnused() {
        return nextSegment == 1;
    }

    /** The one that is appended to; null when the next record begins one. */
    @Nullable Segment newest() {
        return live.peekLast();
    }

    /**
     * @return position of the first record that may be needed; or, when there is none, of the next
     */
    long first(long next) {
        return live.isEmpty() ? next : live.getFirst().header.first();
    }

    /**
     * Makes the file, then lists it; only then something is appended.
     *
     * @param position of its first record
     * @param length of the file
     */
    Segment begin(long position, long length, long released, long synced) throws IOException {
        String name = length == segmentBytes ? free.poll() : null;
        boolean isUsed = name != null;
        if (name == null) {
            name = JournalJudge.name(nextSegment);
            free.remove(name); // from a beginning that was cut
        }
        SegmentHeader header =
                new SegmentHeader(Format.VERSION, store, nextSegment, position, length);
        Segment segment = new Segment(name, storage.open(name), header);
        live.add(segment);
        if (!isUsed) {
            Segment.zero(segment.file, Format.SEGMENT_HEADER, length);
        }
        segment.write(header.toBytes(), 0);
        segment.file.force(true);
        if (!isUsed) {
            storage.sync();
        }
        nextSegment++;
        list(released, synced);
        return segment;
    }

    /** Whether the next segment would have to be made when it is needed. */
    boolean wantsSpare() {
        Segment newest = live.peekLast();
        return keepsFree
                && free.isEmpty()
                && dropped.isEmpty()
                && newest != null
                && newest.end > newest.header.length() / 2;
    }

    /** A name for a file that is made beforehand: no segment has it. */
    String spareName() {
        return String.format("spare-%016x%s", nextSegment, JournalJudge.SEGMENT);
    }

    /** Makes a file of the usual length; without the lock. */
    void makeSpare(String name) throws IOException {
        try (Storage.Content file = storage.open(name)) {
            Segment.zero(file, 0, segmentBytes);
            file.force(true);
        }
        storage.sync();
    }

    void addSpare(String name) throws IOException {
        if (keepsFree) {
            free.add(name);
        } else {
            storage.delete(name);
        }
    }

    /** Whether files wait to be used again; those that do are deleted otherwise. */
    void keepFree(boolean keeps) throws IOException {
        keepsFree = keeps;
        while (!keeps && !free.isEmpty()) {
            storage.delete(free.remove());
        }
    }

    /** Writes the list; what it does not name any more is used again, or deleted. */
    void list(long released, long synced) throws IOException {
        List<SegmentList.Entry> entries = new ArrayList<>();
        for (Segment each : live) {
            entries.add(
                    new SegmentList.Entry(each.name, each.header.segment(), each.header.first()));
        }
        storage.replace(
                SegmentList.NAME,
                new SegmentList(Format.VERSION, store, nextSegment, released, synced, entries)
                        .toBytes());
        if (readers > 0) {
            return;
        }
        for (Segment each : dropped) {
            each.file.close();
            if (keepsFree && each.header.length() == segmentBytes && free.size() < FREE_MAX) {
                free.add(each.name);
            } else {
                storage.delete(each.name);
            }
        }
        dropped.clear();
    }

    /** Records up to this position are not needed any more. */
    void release(long upTo) {
        while (live.size() > 1 && live.getFirst().last <= upTo) {
            dropped.add(live.removeFirst());
        }
        live.forEach(each -> each.release(upTo));
    }

    /** None of the records is needed any more, and no segment goes on. */
    void dropAll() {
        dropped.addAll(live);
        live.clear();
    }

    /** The records behind a position, up to one: their files stay until {@link #endReading}. */
    List<Stretch> beginReading(long after, long to) {
        List<Stretch> stretches = new ArrayList<>();
        for (Segment each : live) {
            if (each.last > after && each.header.first() <= to) {
                stretches.add(new Stretch(each, Math.min(to, each.last)));
            }
        }
        readers++;
        return stretches;
    }

    void endReading() {
        readers--;
    }

    /** Bytes of the records that were not released. */
    long recordBytes() {
        long sum = 0;
        for (Segment each : live) {
            sum += each.bytes();
        }
        return sum;
    }

    /** Bytes of all files, those to be used again included. */
    long fileBytes() {
        long sum = free.size() * segmentBytes;
        for (Segment each : live) {
            sum += each.header.length();
        }
        for (Segment each : dropped) {
            sum += each.header.length();
        }
        return sum;
    }

    void close() {
        live.forEach(Segments::close);
        dropped.forEach(Segments::close);
    }

    private static void close(Segment segment) {
        try {
            segment.file.close();
        } catch (IOException e) {
            LOG.warn("Can't close {} of the journal: {}", segment.name, FileCauses.of(e));
        }
    }
}
