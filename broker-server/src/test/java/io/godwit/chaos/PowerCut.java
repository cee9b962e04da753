package io.godwit.chaos;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Does to the files of a process that was killed what a power cut would have done: of what was
 * never synced, a random part is gone.
 *
 * <ul>
 *   <li>a file keeps the length that it had before its last sync, and a random part of the rest,
 *       whose last bytes may be garbage (the torn record);
 *   <li>a file that was never synced, and is younger than the last sync of its directory, is gone
 *       every other time;
 *   <li>renames and removals count as done: a journaling file system does them in order.
 * </ul>
 */
final class PowerCut {
    private static final int TORN_BYTES = 512;

    private final Path record;
    private final Map<Long, Long> synced = new HashMap<>();
    private final Set<Long> fresh = new HashSet<>(); // not yet in a synced directory
    private final Map<Long, Path> directoryOf = new HashMap<>();
    private final SplittableRandom random;
    private final Tally tally;

    private PowerCut(Path record, SplittableRandom random, Tally tally) {
        this.record = record;
        this.random = random;
        this.tally = tally;
    }

    /**
     * @param folder that nobody uses now
     * @param record of {@link DiskFault}, from when the folder was empty
     */
    static void of(Path folder, Path record, SplittableRandom random, Tally tally) {
        PowerCut cut = new PowerCut(record, random, tally);
        try (Stream<Path> files = Files.walk(folder)) {
            Files.readAllLines(record).forEach(cut::remember);
            List<Path> regular = files.filter(Files::isRegularFile).sorted().toList();
            if (regular.stream().filter(PowerCut::isLog).count() > 1) {
                tally.count(Happening.CUTS_WITH_SEVERAL_LOGS);
            }
            for (Path file : regular) {
                cut.file(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void remember(String line) {
        String[] words = line.split(" ", 3);
        long inode = Long.parseLong(words[1]);
        switch (words[0]) {
            case "create" -> {
                synced.remove(inode);
                fresh.add(inode);
                directoryOf.put(inode, Path.of(words[2]).getParent());
            }
            case "sync" -> {
                String[] rest = words[2].split(" ", 2);
                synced.merge(inode, Long.parseLong(rest[0]), Math::max);
            }
            case "dirsync" ->
                    fresh.removeIf(each -> Path.of(words[2]).equals(directoryOf.get(each)));
            default -> throw new IllegalArgumentException(line);
        }
    }

    private static boolean isLog(Path file) {
        return file.getFileName().toString().endsWith(".log");
    }

    private void file(Path file) throws IOException {
        long inode = ((Number) Files.getAttribute(file, "unix:ino")).longValue();
        long length = Files.size(file);
        long certain = Math.min(length, synced.getOrDefault(inode, 0L));
        if (!synced.containsKey(inode) && fresh.contains(inode) && random.nextBoolean()) {
            Files.delete(file);
            tally.count(Happening.FILES_GONE);
        } else if (certain < length) {
            tear(file, certain, length);
            // What is there now is on the disk.
            String line = "sync " + inode + " " + Files.size(file) + " " + file + "\n";
            Files.writeString(record, line, StandardOpenOption.APPEND);
        }
    }

    private void tear(Path file, long certain, long length) throws IOException {
        long kept =
                switch (random.nextInt(4)) {
                    case 0 -> certain;
                    case 1 -> length;
                    default -> random.nextLong(certain, length + 1);
                };
        if (isLog(file)) {
            tally.count(Happening.UNSYNCED_TAILS);
            tally.add(Happening.UNSYNCED_BYTES, length - certain);
            tally.add(Happening.UNSYNCED_BYTES_KEPT, kept - certain);
        }
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.setLength(kept);
            if (kept > certain && kept < length && random.nextBoolean()) {
                int torn = (int) Math.min(kept - certain, 1 + random.nextInt(TORN_BYTES));
                open.seek(kept - torn);
                byte[] garbage = new byte[torn];
                if (random.nextBoolean()) {
                    random.nextBytes(garbage);
                }
                open.write(garbage);
            }
            open.getFD().sync();
        }
    }
}
