package io.godwit.persistence.files;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The first sector of a segment.
 *
 * @param format of its records
 * @param segment its number: each use of a file has its own
 * @param first position of its first record
 * @param length of the file in bytes
 */
record SegmentHeader(int format, long store, long segment, long first, long length) {
    private static final byte[] MAGIC = "GodwitJ".getBytes(StandardCharsets.US_ASCII);
    private static final int CHECKED = 40;

    ByteBuffer toBytes() {
        ByteBuffer bytes = ByteBuffer.allocate(Format.SEGMENT_HEADER);
        bytes.put(MAGIC).put((byte) format);
        bytes.putLong(store).putLong(segment).putLong(first).putLong(length);
        bytes.putInt(checksum(bytes.array()));
        return bytes.clear();
    }

    /** Null when there is none. */
    static @Nullable SegmentHeader of(ByteBuffer sector) {
        byte[] bytes = new byte[Format.SEGMENT_HEADER];
        sector.get(0, bytes);
        ByteBuffer from = ByteBuffer.wrap(bytes);
        boolean isOurs =
                Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length)
                        && from.getInt(CHECKED) == checksum(bytes);
        return isOurs
                ? new SegmentHeader(
                        bytes[MAGIC.length],
                        from.getLong(8),
                        from.getLong(16),
                        from.getLong(24),
                        from.getLong(32))
                : null;
    }

    private static int checksum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, CHECKED);
        return (int) crc.getValue();
    }
}
