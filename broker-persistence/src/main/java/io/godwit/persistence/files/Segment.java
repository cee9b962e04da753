package io.godwit.persistence.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/** A file with records: the one that is appended to, or one that is full. */
final class Segment {
    private static final int NOTE_BYTES = 64 << 10;
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(256 << 10);

    final String name;
    final Storage.Content file;
    final SegmentHeader header;

    /** Position of the last record; one below the first when there is none. */
    long last;

    /** Behind the last record. */
    long end = Format.SEGMENT_HEADER;

    private final Deque<Note> notes = new ArrayDeque<>();
    private long releasedEnd = Format.SEGMENT_HEADER;

    Segment(String name, Storage.Content file, SegmentHeader header) {
        this.name = name;
        this.file = file;
        this.header = header;
        this.last = header.first() - 1;
    }

    /** Records up to this position end here. */
    private record Note(long position, long end) {}

    void appended(long position, long newEnd) {
        last = position;
        end = newEnd;
        Note before = notes.peekLast();
        if (newEnd - (before == null ? Format.SEGMENT_HEADER : before.end) >= NOTE_BYTES) {
            notes.add(new Note(position, newEnd));
        }
    }

    void release(long upTo) {
        while (!notes.isEmpty() && notes.peekFirst().position <= upTo) {
            releasedEnd = notes.removeFirst().end;
        }
        if (upTo >= last) {
            releasedEnd = end;
        }
    }

    /** Bytes of the records that were not released; up to 64 KiB too much. */
    long bytes() {
        return end - releasedEnd;
    }

    /** Fills a file from here to its end, so that every byte has its place on the disk. */
    static void zero(Storage.Content file, long from, long length) throws IOException {
        for (long at = from; at < length; ) {
            ByteBuffer next = ZEROS.duplicate();
            next.limit((int) Math.min(next.capacity(), length - at));
            at += file.write(next, at);
        }
    }

    void write(ByteBuffer bytes, long at) throws IOException {
        long to = at;
        while (bytes.hasRemaining()) {
            to += file.write(bytes, to);
        }
    }
}
