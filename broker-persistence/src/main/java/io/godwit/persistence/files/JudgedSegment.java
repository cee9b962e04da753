package io.godwit.persistence.files;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What of one segment can be read, in order: the one place where a torn end is told from damage.
 *
 * <p>A record that can't be read is torn when nothing says that it was synced: neither the list,
 * nor a segment that came later, nor a record behind it. Otherwise it is damaged, and reading goes
 * on with the next record that can be read.
 */
final class JudgedSegment {
    /** Records without a gap, both ends included. */
    record Run(long first, long last) {}

    /**
     * Records that were synced and can't be read.
     *
     * @param text a sentence without a full stop
     */
    record Damage(long first, long last, String text) {}

    final String name;
    final SegmentHeader header;
    final List<Run> runs = new ArrayList<>(1);
    final List<Damage> damage = new ArrayList<>(0);

    /** Ends of records, for whoever goes on to use the segment: by position from its first. */
    final Segment segment;

    /** What was torn off the end; null when nothing was. */
    SegmentReader.@Nullable Behind torn;

    private JudgedSegment(String name, Storage.Content file, SegmentHeader header) {
        this.name = name;
        this.header = header;
        segment = new Segment(name, file, header);
    }

    /**
     * Reads a segment.
     *
     * @param synced everything in it up to this position was synced
     * @param isLast it is the newest: more may follow
     */
    static JudgedSegment read(
            String name,
            Storage.Content file,
            SegmentHeader header,
            long synced,
            boolean isLast,
            SegmentReader reader) {
        JudgedSegment judged = new JudgedSegment(name, file, header);
        judged.read(reader, synced, isLast);
        return judged;
    }

    private void read(SegmentReader reader, long synced, boolean isLast) {
        long most = isLast ? Long.MAX_VALUE : synced;
        long next = header.first();
        while (true) {
            long from = next;
            while (next <= most && reader.next(next)) {
                segment.appended(next++, reader.end());
            }
            if (next > from) {
                runs.add(new Run(from, next - 1));
            }
            if (next > most) {
                return;
            }
            SegmentReader.Behind behind = reader.behind(next);
            long known = Math.max(synced, behind == null ? 0 : behind.synced());
            if (known < next) {
                torn = behind;
                return;
            }
            long lostTo = behind == null ? known : Math.min(most, behind.first() - 1);
            damage.add(new Damage(next, lostTo, text(reader.end(), next, known, behind)));
            if (behind == null || behind.first() > most) {
                return;
            }
            reader.goTo(behind.offset());
            next = behind.first();
        }
    }

    private String text(
            int end, long position, long synced, SegmentReader.@Nullable Behind behind) {
        return "its segment "
                + name
                + " can't be read from byte "
                + end
                + " on, where the record of position "
                + position
                + " should be. Records up to "
                + synced
                + " were synced and may have been acknowledged"
                + (behind == null
                        ? "; nothing readable follows there"
                        : "; records up to "
                                + behind.last()
                                + " can be read from byte "
                                + behind.offset()
                                + " on");
    }
}
