package io.godwit.persistence.files;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code segments}: which ones there must be.
 *
 * @param format of the journal
 * @param next number of the next segment
 * @param released nothing up to this position is needed any more
 * @param synced everything up to this position was synced when the list was written
 * @param entries by number
 */
record SegmentList(
        int format, long store, long next, long released, long synced, List<Entry> entries) {
    static final String NAME = "segments";
    private static final String FIRST_LINE = "Godwit journal, format ";

    /** A segment, with its number and the position of its first record. */
    record Entry(String file, long segment, long first) {}

    byte[] toBytes() {
        StringBuilder text = new StringBuilder(FIRST_LINE).append(format).append('\n');
        text.append("store ").append(Long.toHexString(store)).append('\n');
        text.append("next ").append(next).append('\n');
        text.append("released ").append(released).append('\n');
        text.append("synced ").append(synced).append('\n');
        for (Entry each : entries) {
            text.append(each.file).append(' ').append(each.segment).append(' ').append(each.first);
            text.append('\n');
        }
        String checked = text.toString();
        return (checked + "crc32c " + checksum(checked) + "\n").getBytes(StandardCharsets.US_ASCII);
    }

    /** Null when it is damaged. */
    static @Nullable SegmentList of(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.US_ASCII);
        int end = text.lastIndexOf("crc32c ");
        if (end < 0
                || !text.substring(end)
                        .equals("crc32c " + checksum(text.substring(0, end)) + "\n")) {
            return null;
        }
        List<String> lines = Arrays.asList(text.substring(0, end).split("\n", -1));
        if (lines.size() < 6 || !lines.getFirst().matches(FIRST_LINE + "[0-9]{1,9}")) {
            return null;
        }
        List<Entry> entries = new ArrayList<>();
        for (String line : lines.subList(5, lines.size() - 1)) {
            String[] words = line.split(" ", -1);
            entries.add(new Entry(words[0], Long.parseLong(words[1]), Long.parseLong(words[2])));
        }
        return new SegmentList(
                Integer.parseInt(lines.getFirst().substring(FIRST_LINE.length())),
                Long.parseUnsignedLong(word(lines.get(1)), 16),
                Long.parseLong(word(lines.get(2))),
                Long.parseLong(word(lines.get(3))),
                Long.parseLong(word(lines.get(4))),
                entries);
    }

    private static String word(String line) {
        return line.substring(line.indexOf(' ') + 1);
    }

    private static String checksum(String text) {
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.US_ASCII));
        return Long.toHexString(crc.getValue());
    }
}
