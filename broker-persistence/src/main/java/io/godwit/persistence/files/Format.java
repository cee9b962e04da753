package io.godwit.persistence.files;

import io.godwit.persistence.disk.Journal;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Lengths and checksums of what lies in a segment; see the package. */
final class Format {
    static final int VERSION = 2;

    static final int SECTOR = 512;
    static final int SEGMENT_HEADER = SECTOR;
    static final int RECORD_HEADER = Journal.RECORD_HEADER;

    private static final int ALIGNMENT = 8;

    private Format() {}

    /** Where a record begins that is synced together with the one before it. */
    static long besides(long end) {
        return -(-end & -ALIGNMENT);
    }

    /** Where a record begins when what lies before it was synced. */
    static long behindSynced(long end) {
        return -(-end & -SECTOR);
    }

    /**
     * Over all but the checksum itself, and over whose record it is: what another use of the file,
     * or another store, has left is never taken for a record.
     */
    static int checksum(CRC32C crc, SegmentHeader segment, Header header, ByteBuffer bytes) {
        crc.reset();
        ByteBuffer whose = ByteBuffer.allocate(37);
        whose.putLong(segment.store()).putLong(segment.segment());
        whose.putInt(header.length).putLong(header.position).putLong(header.synced);
        whose.put((byte) header.flags);
        crc.update(whose.flip());
        crc.update(bytes);
        return (int) crc.getValue();
    }

    /**
     * What stands before a record's bytes, but for the checksum.
     *
     * @param synced the position up to which all was synced when it was written
     * @param flags of {@link Journal}
     */
    record Header(int length, long position, long synced, int flags) {}
}
