package io.godwit.persistence.rocks;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * What one write-ahead log holds, chunk by chunk, beside RocksDB: its recovery modes either stop
 * without a word at the first damage, as at a torn end, or refuse a torn end as if it were damage.
 * The difference is what follows: behind a torn end there is nothing valid.
 *
 * <pre>
 * file:  blocks of 32 KiB, the last one shorter
 * block: chunk ... | fewer than 7 bytes of zeros
 * chunk: masked CRC-32C of type and data 4 (little-endian) | length 2 | type 1 | data
 * </pre>
 *
 * @param length of the file in bytes
 * @param whole bytes up to the first chunk that is not valid
 * @param validAgain position of a valid chunk behind that one, or -1: then the rest is a torn end
 */
record LogScan(Path file, long length, long whole, long validAgain) {
    private static final int BLOCK = 32 << 10;
    private static final int HEADER = 7;
    private static final int TYPES = 4; // full, first, middle, last; logs are not recycled
    private static final int TYPES_OTHER = 0x80; // what a reader may skip: sizes of timestamps etc.

    static LogScan of(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return new Reader(file, channel).scan();
        }
    }

    boolean isDamaged() {
        return validAgain >= 0;
    }

    long tornBytes() {
        return length - whole;
    }

    private static final class Reader {
        private final Path file;
        private final FileChannel channel;
        private final ByteBuffer block =
                ByteBuffer.allocateDirect(BLOCK).order(ByteOrder.LITTLE_ENDIAN);
        private final CRC32C crc = new CRC32C();

        Reader(Path file, FileChannel channel) {
            this.file = file;
            this.channel = channel;
        }

        LogScan scan() throws IOException {
            long length = channel.size();
            long whole = -1;
            for (long start = 0; start < length; start += BLOCK) {
                read(start, length);
                int end = endOfValid(0);
                if (whole >= 0) {
                    if (end > 0) {
                        return new LogScan(file, length, whole, start);
                    }
                } else if (!isTrailer(end)) {
                    whole = start + end;
                    int again = anyValid(end + 1);
                    if (again >= 0) {
                        return new LogScan(file, length, whole, start + again);
                    }
                }
            }
            return new LogScan(file, length, whole < 0 ? length : whole, -1);
        }

        private void read(long start, long length) throws IOException {
            block.clear();
            block.limit((int) Math.min(BLOCK, length - start));
            while (block.hasRemaining()) {
                if (channel.read(block, start + block.position()) < 0) {
                    throw new IOException(file + " became shorter while it was read");
                }
            }
            block.flip();
        }

        /** End of the valid chunks that begin here. */
        private int endOfValid(int from) {
            int at = from;
            int size;
            while ((size = validChunk(at)) > 0) {
                at += size;
            }
            return at;
        }

        /** Nothing more fits into the block, and what is left was never used. */
        private boolean isTrailer(int at) {
            if (block.limit() - at >= HEADER) {
                return false;
            }
            for (int i = at; i < block.limit(); i++) {
                if (block.get(i) != 0) {
                    return false;
                }
            }
            return true;
        }

        private int anyValid(int from) {
            for (int at = from; at + HEADER < block.limit(); at++) {
                if (validChunk(at) > HEADER) {
                    return at;
                }
            }
            return -1;
        }

        /** Bytes of the valid chunk here, or 0. */
        private int validChunk(int at) {
            if (at + HEADER > block.limit()) {
                return 0;
            }
            int size = block.getShort(at + 4) & 0xFFFF;
            int type = block.get(at + 6) & 0xFF;
            boolean isKnown = type >= 1 && type <= TYPES || type >= TYPES_OTHER;
            if (!isKnown || at + HEADER + size > block.limit()) {
                return 0;
            }
            crc.reset();
            crc.update(block.duplicate().position(at + 6).limit(at + HEADER + size));
            int sum = (int) crc.getValue();
            int masked = ((sum >>> 15) | (sum << 17)) + 0xA282EAD8;
            return masked == block.getInt(at) ? HEADER + size : 0;
        }
    }
}
