package io.godwit.persistence.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Reads the records of one segment, all of whose bytes it holds. */
final class SegmentReader {
    private final SegmentHeader header;
    private final ByteBuffer bytes;
    private final CRC32C crc = new CRC32C();
    private int end = Format.SEGMENT_HEADER;
    private int from;
    private Format.@Nullable Header at;

    /**
     * @param length how much of it there is to read
     */
    SegmentReader(SegmentHeader header, Storage.Content file, long length) throws IOException {
        this.header = header;
        this.bytes = read(file, length);
    }

    static ByteBuffer read(Storage.Content file, long length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(length));
        while (bytes.hasRemaining() && file.read(bytes, bytes.position()) >= 0) {
            // the file may be shorter: what is missing reads as zeros
        }
        return bytes.clear();
    }

    /**
     * Goes on to the record of this position.
     *
     * @return false when it is not there
     */
    boolean next(long position) {
        long besides = Format.besides(end);
        long behind = Format.behindSynced(end);
        if (stand(besides, position) || stand(behind, position)) {
            return true;
        }
        at = null;
        return false;
    }

    private boolean stand(long start, long position) {
        Format.Header found = valid(start, position, position);
        if (found == null) {
            return false;
        }
        at = found;
        from = (int) start + Format.RECORD_HEADER;
        end = from + found.length();
        return true;
    }

    /** The next record begins at this byte. */
    void goTo(int offset) {
        at = null;
        end = offset;
    }

    /**
     * Goes on to the record of this position, or over a gap to it.
     *
     * @return false when it is not there
     */
    boolean resume(long position) {
        if (next(position)) {
            return true;
        }
        for (long start = Format.besides(end);
                start < bytes.limit();
                start = Format.besides(start + 1)) {
            if (stand(start, position)) {
                return true;
            }
        }
        return false;
    }

    /** Bytes of the record it stands on; a new array. */
    byte[] record() {
        if (at == null) {
            throw new IllegalStateException("stands on no record");
        }
        byte[] record = new byte[at.length()];
        bytes.get(from, record);
        return record;
    }

    /** The flags of the record that the reader stands on. */
    int flags() {
        if (at == null) {
            throw new IllegalStateException("stands on no record");
        }
        return at.flags();
    }

    /** Behind the last record it stood on. */
    int end() {
        return end;
    }

    /** What of this use of the file follows the end: records from this position on. */
    @Nullable Behind behind(long position) {
        int offset = -1;
        long first = 0;
        long last = 0;
        long synced = 0;
        long most = position + bytes.limit() / Format.RECORD_HEADER;
        for (long start = Format.besides(end);
                start < bytes.limit();
                start = Format.besides(start + 1)) {
            Format.Header found = valid(start, position, most);
            if (found != null) {
                first = offset < 0 ? found.position() : first;
                offset = offset < 0 ? (int) start : offset;
                last = Math.max(last, found.position());
                synced = Math.max(synced, found.synced());
            }
        }
        return offset < 0 ? null : new Behind(offset, first, last, synced);
    }

    /**
     * Records where none should be.
     *
     * @param offset of the first one
     * @param first position of that one
     * @param last the highest position among them
     * @param synced the highest position that one of them knows to be synced
     */
    record Behind(int offset, long first, long last, long synced) {}

    private Format.@Nullable Header valid(long start, long least, long most) {
        int before = Format.RECORD_HEADER;
        if (start + before > bytes.limit()) {
            return null;
        }
        int index = (int) start;
        int length = bytes.getInt(index);
        long position = bytes.getLong(index + 8);
        if (position < least
                || position > most
                || length < 0
                || length > bytes.limit() - before - index) {
            return null;
        }
        Format.Header found =
                new Format.Header(
                        length, position, bytes.getLong(index + 16), bytes.get(index + 24));
        ByteBuffer content = bytes.slice(index + before, length);
        int sum = Format.checksum(crc, header, found, content);
        return sum == bytes.getInt(index + 4) ? found : null;
    }
}
