package io.godwit.chaos;

import io.godwit.chaos.WriteRecord.Extent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * Does to the files of a process that was killed what a power cut would have done to what they had
 * not synced.
 *
 * <ul>
 *   <li>each sector that was written since has what it had before, or after any of these writes:
 *       all of them, none, those before a random one, or each as chance wants it;
 *   <li>one of them may be torn: what was written there is garbage. Bytes that were synced before
 *       never are, also when they share a sector with others;
 *   <li>a file that has grown since ends at a random place behind its synced length;
 *   <li>a file that is younger than the last sync of its folder is gone every other time;
 *   <li>renames and removals count as done, and what was done to folders before them as well: a
 *       journaling file system does them in order.
 * </ul>
 */
final class PowerCut {
    /** The end of the segments' names. */
    static final String SUFFIX = ".segment";

    private static final int SECTOR = 512;

    /** What survives of a file's unsynced writes. */
    enum Survivors {
        NONE,
        ALL,
        FIRST,
        ANY
    }

    private final WriteRecord record;
    private final Survivors[] survivors;
    private final SplittableRandom random;
    private final Tally tally;

    private PowerCut(
            WriteRecord record, Survivors[] survivors, SplittableRandom random, Tally tally) {
        this.record = record;
        this.survivors = survivors;
        this.random = random;
        this.tally = tally;
    }

    /**
     * @param folder that nobody uses now
     * @param record of {@link DiskFault}; empty afterwards, since all that is left is on the disk
     * @param survivors what chance may choose from for a file
     */
    static void of(
            Path folder, Path record, Survivors[] survivors, SplittableRandom random, Tally tally) {
        try (Stream<Path> files = Files.walk(folder)) {
            PowerCut cut = new PowerCut(WriteRecord.read(record), survivors, random, tally);
            List<Path> regular = files.filter(Files::isRegularFile).sorted().toList();
            cut.count(regular);
            for (Path file : regular) {
                cut.file(file);
            }
            Files.write(record, new byte[0]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Part of the journal. */
    static boolean isJournal(Path file) {
        return file.getFileName().toString().endsWith(SUFFIX);
    }

    private static long inode(Path file) throws IOException {
        return ((Number) Files.getAttribute(file, "unix:ino")).longValue();
    }

    private void count(List<Path> files) throws IOException {
        int segments = 0;
        for (Path file : files) {
            if (isJournal(file)) {
                segments += record.isWritten(inode(file)) ? 1 : 0;
                tally.add(Happening.SEGMENTS_USED_AGAIN, record.isOverwritten(inode(file)) ? 1 : 0);
            }
        }
        tally.add(Happening.CUTS_WITH_SEVERAL_SEGMENTS, segments > 1 ? 1 : 0);
    }

    private void file(Path file) throws IOException {
        long inode = inode(file);
        if (record.isFresh(inode) && random.nextBoolean()) {
            Files.delete(file);
            tally.count(Happening.FILES_GONE);
            return;
        }
        List<Extent> extents = record.unsynced(inode);
        if (extents.isEmpty()) {
            return;
        }
        try (FileChannel open =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            cut(open, extents, isJournal(file));
        }
        if (isJournal(file)) {
            tally.count(Happening.UNSYNCED_SEGMENTS);
            tally.add(Happening.UNSYNCED_BYTES, extents.stream().mapToLong(Extent::count).sum());
        }
    }

    private void cut(FileChannel file, List<Extent> extents, boolean journal) throws IOException {
        long length = file.size();
        long certain =
                Math.min(length, extents.stream().mapToLong(Extent::lengthBefore).min().orElse(0));
        TreeMap<Long, List<Extent>> sectors = new TreeMap<>();
        for (Extent extent : extents) {
            for (long i = extent.offset() / SECTOR; i * SECTOR < extent.end(); i++) {
                sectors.computeIfAbsent(i, s -> new ArrayList<>()).add(extent);
            }
        }
        Survivors chosen = survivors[random.nextInt(survivors.length)];
        // Small files must meet it as well as large ones.
        int boundary = random.nextInt(sectors.size());
        boolean tearing = random.nextBoolean();
        int index = 0;
        for (Map.Entry<Long, List<Extent>> each : sectors.entrySet()) {
            List<Extent> writes = each.getValue();
            int kept =
                    switch (chosen) {
                        case NONE -> 0;
                        case ALL -> writes.size();
                        case FIRST ->
                                index < boundary
                                        ? writes.size()
                                        : index > boundary ? 0 : random.nextInt(writes.size() + 1);
                        case ANY -> random.nextInt(writes.size() + 1);
                    };
            boolean torn =
                    tearing
                            && index == boundary
                            && (chosen == Survivors.FIRST || chosen == Survivors.ANY);
            sector(file, length, each.getKey() * SECTOR, writes, kept, torn);
            if (journal) {
                tally.add(
                        Happening.UNSYNCED_BYTES_KEPT,
                        writes.subList(0, kept).stream()
                                .mapToLong(write -> overlap(write, each.getKey() * SECTOR))
                                .sum());
                tally.add(Happening.TORN_SECTORS, torn ? 1 : 0);
            }
            index++;
        }
        if (certain < length) {
            truncate(file, chosen, certain, length);
        }
    }

    private static long overlap(Extent write, long sector) {
        return Math.min(write.end(), sector + SECTOR) - Math.max(write.offset(), sector);
    }

    /** Takes back all writes but the first {@code kept}. */
    private void sector(
            FileChannel file, long length, long at, List<Extent> writes, int kept, boolean torn)
            throws IOException {
        int size = (int) Math.min(SECTOR, length - at);
        if (size <= 0 || kept == writes.size() && !torn) {
            return;
        }
        byte[] bytes = new byte[size];
        readFully(file, ByteBuffer.wrap(bytes), at);
        for (int i = writes.size() - 1; i >= kept; i--) {
            Extent undone = writes.get(i);
            each(undone, at, size, position -> bytes[(int) (position - at)] = undone.old(position));
        }
        if (torn) {
            boolean zeros = random.nextBoolean();
            for (Extent write : writes) {
                each(
                        write,
                        at,
                        size,
                        position ->
                                bytes[(int) (position - at)] =
                                        zeros ? 0 : (byte) random.nextInt(256));
            }
        }
        ByteBuffer out = ByteBuffer.wrap(bytes);
        while (out.hasRemaining()) {
            file.write(out, at + out.position());
        }
    }

    private static void each(Extent extent, long at, int size, LongConsumer position) {
        long end = Math.min(extent.end(), at + size);
        for (long i = Math.max(extent.offset(), at); i < end; i++) {
            position.accept(i);
        }
    }

    private static void readFully(FileChannel file, ByteBuffer into, long at) throws IOException {
        while (into.hasRemaining()) {
            if (file.read(into, at + into.position()) < 0) {
                throw new IOException("the file became shorter");
            }
        }
    }

    private void truncate(FileChannel file, Survivors survivors, long certain, long length)
            throws IOException {
        file.truncate(
                switch (survivors) {
                    case NONE -> random.nextBoolean() ? certain : length;
                    case ALL -> length;
                    default -> random.nextLong(certain, length + 1);
                });
    }
}
