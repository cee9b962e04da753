package io.godwit.persistence.files;

import io.godwit.core.failure.FileCauses;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.JournalView;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A journal that nobody has open, to be looked at: nothing is changed. Every record that can be
 * read is shown, in order, those behind damage too. Reading goes segment by segment.
 */
public final class JournalLook implements JournalView {
    /** Records of a segment without a gap. */
    private record Part(String name, SegmentHeader header, JudgedSegment.Run run) {}

    private final String where;
    private final LookStorage storage;
    private final List<Part> parts = new ArrayList<>();
    private final List<JudgedSegment.Damage> damage;
    private final long released;
    private final long begins;
    private final long lastKnown;
    private final boolean isMissing;

    private JournalLook(Path folder, LookStorage storage, JournalJudge judge) {
        where = folder.toString();
        this.storage = storage;
        damage = List.copyOf(judge.damage());
        begins = judge.begins();
        lastKnown = judge.lastKnown();
        isMissing = judge.isMissing();
        SegmentList list = judge.list();
        released = list == null ? 0 : list.released();
        for (JudgedSegment each : judge.segments()) {
            each.runs.forEach(run -> parts.add(new Part(each.name, each.header, run)));
        }
    }

    /** Reads all of it. */
    public static JournalLook at(Path folder) throws IOException {
        LookStorage storage = new LookStorage(folder);
        try {
            JournalJudge judge = JournalJudge.of(storage);
            judge.close();
            return new JournalLook(folder, storage, judge);
        } catch (JournalJudge.NotThisFormat e) {
            throw new IOException("the journal in " + folder + " " + e.getMessage(), e);
        }
    }

    /**
     * What is wrong with it behind a position, as sentences without a full stop; a torn end is no
     * damage, and what rows stand for is not needed.
     *
     * @param after that rows stand for
     */
    public List<String> damage(long after) {
        return damage.stream()
                .filter(each -> each.last() > after)
                .map(JudgedSegment.Damage::text)
                .toList();
    }

    /** There is none: right for a store that was never committed to. */
    public boolean isMissing() {
        return isMissing;
    }

    /** Position of its first record, or of the next one when it holds none. */
    public long begins() {
        return begins;
    }

    /** The highest position that is known to have been written. */
    public long lastKnown() {
        return lastKnown;
    }

    /** Nothing up to this position is needed. */
    public long released() {
        return released;
    }

    /** Shows what can be read behind a position; where something is missing it goes on behind. */
    @Override
    public void replay(long after, long rows, Visitor visitor) throws DiskFailure {
        for (Part part : parts) {
            if (part.run.last() > after) {
                show(part, after, visitor);
            }
        }
    }

    private void show(Part part, long after, Visitor visitor) throws DiskFailure {
        try (Storage.Content look = storage.open(part.name)) {
            SegmentReader reader = new SegmentReader(part.header, look, part.header.length());
            long position = part.run.first();
            if (!reader.resume(position)) {
                throw new IOException(part.name + " changes while it is read");
            }
            while (true) {
                if (position > after) {
                    visitor.record(position, reader.flags(), reader.record());
                }
                if (++position > part.run.last()) {
                    return;
                }
                if (!reader.next(position)) {
                    throw new IOException(part.name + " changes while it is read");
                }
            }
        } catch (IOException e) {
            throw new DiskFailure(
                    "can't read the journal in " + where + ": " + FileCauses.withFile(e), e);
        }
    }

    @Override
    public void close() {}
}
