package io.godwit.persistence.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Writes records: one write each, several for a large one. */
final class RecordWriter {
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(256 << 10);
    private final CRC32C crc = new CRC32C();

    /** Writes from this place of the segment on; returns where the record ends. */
    long write(Segment segment, long start, Format.Header header, byte[] record)
            throws IOException {
        int sum =
                Format.checksum(
                        crc, segment.header, header, ByteBuffer.wrap(record, 0, header.length()));
        buffer.clear();
        buffer.putInt(header.length()).putInt(sum);
        buffer.putLong(header.position()).putLong(header.synced());
        buffer.put((byte) header.flags());
        long at = start;
        int done = 0;
        while (true) {
            int part = Math.min(buffer.remaining(), header.length() - done);
            buffer.put(record, done, part).flip();
            done += part;
            int length = buffer.remaining();
            segment.write(buffer, at);
            at += length;
            if (done == header.length()) {
                return at;
            }
            buffer.clear();
        }
    }
}
