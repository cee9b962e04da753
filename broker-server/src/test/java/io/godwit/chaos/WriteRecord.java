package io.godwit.chaos;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** What the shim of {@link DiskFault} has written down, as far as a power cut may undo it. */
final class WriteRecord {
    /**
     * Bytes that were written and not synced.
     *
     * @param at where it stands in the record
     * @param lengthBefore of the file
     * @param old what was there before; shorter where the file was shorter
     */
    record Extent(long at, long offset, int count, long lengthBefore, byte[] old) {
        long end() {
            return offset + count;
        }

        byte old(long position) {
            long index = position - offset;
            return index < old.length ? old[(int) index] : 0;
        }
    }

    private record Fresh(long at, Path folder) {}

    private final Map<Long, List<Extent>> unsynced = new HashMap<>();
    private final Map<Long, Fresh> fresh = new HashMap<>();
    private final Set<Long> overwritten = new HashSet<>();
    private final Set<Long> written = new HashSet<>();

    /** The last entry may be cut off: the process was killed before it did what stands there. */
    static WriteRecord read(Path file) throws IOException {
        WriteRecord record = new WriteRecord();
        long length = Files.size(file);
        try (DataInputStream in =
                new DataInputStream(new BufferedInputStream(Files.newInputStream(file), 1 << 20))) {
            long at = 0;
            while (at < length) {
                byte[] line = line(in);
                String[] words = new String(line, StandardCharsets.UTF_8).split(" ");
                boolean write = words[0].equals("write") && words.length >= 7;
                int count = write ? Integer.parseInt(words[5]) : 0;
                if (at + line.length + 1 + count > length) {
                    break;
                }
                record.entry(at, words, in.readNBytes(count));
                at += line.length + 1 + count;
            }
        }
        return record;
    }

    private static byte[] line(DataInputStream in) throws IOException {
        byte[] line = new byte[256];
        int length = 0;
        int next;
        while ((next = in.read()) >= 0 && next != '\n') {
            if (length == line.length) {
                line = Arrays.copyOf(line, length * 2);
            }
            line[length++] = (byte) next;
        }
        return Arrays.copyOf(line, length);
    }

    private void entry(long at, String[] words, byte[] old) {
        switch (words[0]) {
            case "create" -> {
                unsynced.remove(inode(words));
                fresh.put(
                        inode(words),
                        new Fresh(at, Objects.requireNonNull(path(words, 2).getParent())));
            }
            case "write" -> write(at, words, old);
            case "sync" -> {
                long mark = Long.parseLong(words[2]);
                unsynced.getOrDefault(inode(words), new ArrayList<>())
                        .removeIf(extent -> extent.at < mark);
            }
            case "dirsync" -> {
                long mark = Long.parseLong(words[2]);
                Path folder = path(words, 3);
                fresh.values().removeIf(each -> each.at < mark && each.folder.equals(folder));
            }
            // Counts as done, and so does what was done to folders before.
            case "entries" -> fresh.clear();
            default -> throw new IllegalArgumentException(String.join(" ", words));
        }
    }

    private void write(long at, String[] words, byte[] old) {
        long inode = inode(words);
        written.add(inode);
        for (byte each : old) {
            if (each != 0) {
                overwritten.add(inode);
                break;
            }
        }
        unsynced.computeIfAbsent(inode, i -> new ArrayList<>())
                .add(
                        new Extent(
                                at,
                                Long.parseLong(words[2]),
                                Integer.parseInt(words[3]),
                                Long.parseLong(words[4]),
                                old));
    }

    private static long inode(String[] words) {
        return Long.parseLong(words[1]);
    }

    private static Path path(String[] words, int from) {
        return Path.of(String.join(" ", List.of(words).subList(from, words.length)));
    }

    /** In the order in which they were written. */
    List<Extent> unsynced(long inode) {
        return unsynced.getOrDefault(inode, List.of());
    }

    /** Whether the file was made after the last sync of its folder. */
    boolean isFresh(long inode) {
        return fresh.containsKey(inode);
    }

    /** Whether something was written to the file at all. */
    boolean isWritten(long inode) {
        return written.contains(inode);
    }

    /** Whether something was written where something else than zeros stood. */
    boolean isOverwritten(long inode) {
        return overwritten.contains(inode);
    }
}
