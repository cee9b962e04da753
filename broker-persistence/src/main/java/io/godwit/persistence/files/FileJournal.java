package io.godwit.persistence.files;

import io.godwit.core.failure.FileCauses;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Journal;
import io.godwit.persistence.disk.StoreUnusable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The journal in files of a folder of its own; their format stands with the package.
 *
 * <p><i>Failure.</i> The first write or sync that fails ends all writing: after a failed sync
 * nobody knows what a second one would sync.
 *
 * <p><i>Concurrency.</i> One lock. Who releases or copies waits for at most one sync, or for a new
 * segment to be filled with zeros when none was made beforehand.
 */
public final class FileJournal implements Journal {
    /** Name of its folder within the one of the database, which no new store is made beside. */
    public static final String FOLDER = "journal";

    public static final long SEGMENT_BYTES = 16L << 20;

    private static final Logger LOG = LoggerFactory.getLogger(FileJournal.class);

    private final String where;
    private final long segmentBytes;
    private final long store;
    private final boolean isNew;
    private final Segments segments;
    private final RecordWriter writer = new RecordWriter();

    private long released;
    private long last;
    private long synced;

    /** Nothing was appended since the start: the first record begins a segment. */
    private boolean isFresh = true;

    private boolean isClosed;
    private @Nullable Executor preparing;

    /** A file is being made, or will be. Written under the lock. */
    private volatile boolean isPreparing;

    private @Nullable DiskFailure failure;
    private volatile long bytes;

    FileJournal(Storage storage, String where, long segmentBytes, FoundJournal found) {
        this.where = where;
        this.segmentBytes = segmentBytes;
        this.store = found.store();
        this.isNew = found.isNew();
        this.segments = new Segments(storage, segmentBytes, found);
        this.released = found.released();
        Segment newest = segments.newest();
        this.last = newest == null ? released : newest.last;
        this.synced = last;
        segments.release(released);
        bytes = segments.recordBytes();
    }

    /**
     * Opens the journal in this folder; one that is missing or empty becomes an empty journal. A
     * record that was torn off the end is dropped.
     *
     * @param segmentBytes length of a file; files of other lengths stay, but are not used again
     * @param newStore a random number, for a new journal; its files know each other by it
     * @param rows position that rows stand for: what is damaged up to there is not needed
     * @throws StoreUnusable when something is damaged behind it, or a newer Godwit wrote it
     */
    public static FileJournal open(Path folder, long segmentBytes, long newStore, long rows)
            throws StoreUnusable {
        try {
            return open(FolderStorage.at(folder), folder.toString(), segmentBytes, newStore, rows);
        } catch (IOException e) {
            throw FoundJournal.unreadable(folder.toString(), e);
        }
    }

    static FileJournal open(
            Storage storage, String where, long segmentBytes, long newStore, long rows)
            throws StoreUnusable {
        FoundJournal found = new JournalOpening(storage, where, segmentBytes).open(newStore, rows);
        return new FileJournal(storage, where, segmentBytes, found);
    }

    @Override
    public synchronized void append(long position, int flags, byte[] record, int length)
            throws DiskFailure {
        checkWritable();
        if (isUnused()) {
            last = position - 1; // nothing was ever there: it may begin anywhere
            released = last;
            synced = last;
        }
        if (position != last + 1) {
            throw new IllegalArgumentException("position " + position + " behind " + last);
        }
        try {
            Segment segment = segmentFor(position, length);
            Format.Header header = new Format.Header(length, position, synced, flags);
            segment.appended(position, writer.write(segment, start(segment), header, record));
        } catch (IOException e) {
            throw failed("write to", e);
        }
        last = position;
        bytes = segments.recordBytes();
        if (preparing != null && !isPreparing && segments.wantsSpare()) {
            isPreparing = true;
            preparing.execute(this::prepare);
        }
    }

    /**
     * Has the file that is needed next made before it is.
     *
     * @param worker may take long
     */
    public synchronized void prepareOn(Executor worker) {
        preparing = worker;
    }

    private void prepare() {
        String name;
        synchronized (this) {
            isPreparing = !isClosed && failure == null && segments.wantsSpare();
            name = segments.spareName();
        }
        if (!isPreparing) {
            return;
        }
        boolean isMade = false;
        try {
            segments.makeSpare(name);
            isMade = true;
        } catch (IOException e) {
            LOG.warn(
                    "Can't prepare the next file of the journal in {}: {}",
                    where,
                    FileCauses.withFile(e));
        }
        synchronized (this) {
            isPreparing = false;
            if (isMade && !isClosed) {
                try {
                    segments.addSpare(name);
                } catch (IOException e) {
                    LOG.warn(
                            "Can't delete {} of the journal in {}: {}",
                            name,
                            where,
                            FileCauses.of(e));
                }
            }
        }
    }

    /** Says whether unused files wait for later use: not while the disk is nearly full. */
    public synchronized void keepFree(boolean keeps) {
        try {
            segments.keepFree(keeps);
        } catch (IOException e) {
            LOG.warn(
                    "Can't delete unused files of the journal in {}: {}",
                    where,
                    FileCauses.withFile(e));
        }
    }

    @Override
    public synchronized void sync() throws DiskFailure {
        checkWritable();
        try {
            force();
        } catch (IOException e) {
            throw failed("sync", e);
        }
    }

    /** No record was ever in it, nor in one that this is a copy of. */
    private boolean isUnused() {
        return segments.isUnused() && released == 0;
    }

    /** Syncs the last segment only: a full one was synced before the next was begun. */
    private void force() throws IOException {
        Segment current = segments.newest();
        if (current != null && synced < last) {
            current.file.force(false);
            synced = last;
        }
    }

    /** A sector that holds synced bytes is never written again. */
    private long start(Segment segment) {
        return synced == last ? Format.behindSynced(segment.end) : Format.besides(segment.end);
    }

    private Segment segmentFor(long position, int length) throws IOException {
        long needed = (long) Format.RECORD_HEADER + length;
        Segment current = segments.newest();
        if (current == null || isFresh || start(current) + needed > current.header.length()) {
            isFresh = false;
            force();
            long whole = Format.behindSynced(Format.SEGMENT_HEADER + needed);
            current = segments.begin(position, Math.max(segmentBytes, whole), released, synced);
        }
        return current;
    }

    /** Everything up to this position is as good as released: it is flushed rows. */
    @Override
    public void replay(long after, long rows, Visitor visitor) throws DiskFailure {
        long to;
        synchronized (this) {
            checkWritable();
            checkBegins(after);
            release(after);
            to = last;
        }
        if (after < to) {
            read(after, to, visitor);
        }
        synchronized (this) {
            if (rows > last) {
                // Rows outlived what was never synced. The next record is in a segment of its own.
                segments.dropAll();
                last = rows;
                synced = rows;
                released = rows;
                bytes = segments.recordBytes();
            }
        }
    }

    private void checkBegins(long after) throws DiskFailure {
        if (isUnused() && after > 0) {
            throw new DiskFailure(
                    "the journal in " + where + " is missing: rows were flushed up to " + after,
                    new IOException("no journal"));
        }
        long first = segments.first(last + 1);
        if (after + 1 < first) {
            throw new DiskFailure(
                    "the journal in "
                            + where
                            + " begins at position "
                            + first
                            + ", but rows were flushed only up to "
                            + after,
                    new IOException("records are missing"));
        }
    }

    private void read(long after, long to, Visitor visitor) throws DiskFailure {
        List<Segments.Stretch> stretches;
        synchronized (this) {
            stretches = segments.beginReading(after, to);
        }
        read(stretches, after, visitor);
    }

    /** Reads what was begun to be read, and ends that. */
    private void read(List<Segments.Stretch> stretches, long after, Visitor visitor)
            throws DiskFailure {
        try {
            for (Segments.Stretch each : stretches) {
                each.read(after, visitor);
            }
        } catch (IOException e) {
            throw new DiskFailure(
                    "can't read the journal in " + where + ": " + FileCauses.withFile(e), e);
        } finally {
            synchronized (this) {
                segments.endReading();
            }
        }
    }

    @Override
    public synchronized void release(long upTo) {
        released = Math.max(released, Math.min(upTo, last));
        segments.release(released);
        bytes = segments.recordBytes();
    }

    /**
     * Copies every record that was not released and is synced, as a journal in a folder that does
     * not exist yet; appending goes on meanwhile.
     *
     * @return position of the last record in the copy
     */
    public long copyTo(Path folder) throws DiskFailure {
        try (FileJournal copy = open(folder, segmentBytes, store, 0)) {
            if (!copy.isNew) {
                throw new DiskFailure(
                        "there is a journal in " + folder + " already",
                        new IOException("not empty"));
            }
            long after;
            long to;
            List<Segments.Stretch> stretches;
            synchronized (this) {
                checkWritable();
                after = released;
                to = Math.max(after, synced);
                stretches = segments.beginReading(after, to);
            }
            copy.beginAt(after);
            read(
                    stretches,
                    after,
                    (position, flags, record) ->
                            copy.append(position, flags, record, record.length));
            copy.sync();
            return to;
        } catch (StoreUnusable e) {
            throw new DiskFailure(
                    "can't copy the journal in " + where + " to " + folder + ": " + e.getMessage(),
                    e);
        }
    }

    /**
     * Makes an empty journal that goes on behind a position, in a folder that is missing or empty.
     *
     * @param newStore a random number
     */
    public static void create(Path folder, long segmentBytes, long newStore, long after)
            throws StoreUnusable {
        FileJournal journal = open(folder, segmentBytes, newStore, 0);
        journal.beginAt(after);
        journal.close();
    }

    private synchronized void beginAt(long after) {
        last = after;
        released = after;
        synced = after;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    /** Bytes of all its files, those to be used again included. */
    public synchronized long diskBytes() {
        return segments.fileBytes();
    }

    /** Position of the last record; 0 when there never was one. */
    public synchronized long last() {
        return last;
    }

    /** Notes what was synced: what is missing at the next start is no torn end then. */
    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        try {
            if (failure == null) {
                force();
                segments.list(released, synced);
            }
        } catch (IOException e) {
            LOG.warn(
                    "Can't write the list of segments of the journal in {}: {}",
                    where,
                    FileCauses.withFile(e));
        } finally {
            segments.close();
        }
    }

    private void checkWritable() throws DiskFailure {
        if (isClosed) {
            throw new DiskFailure(
                    "the journal in " + where + " is closed", new IllegalStateException("closed"));
        }
        if (failure != null) {
            throw new DiskFailure(
                    "the journal in " + where + " has failed before: " + failure.getMessage(),
                    failure);
        }
    }

    private DiskFailure failed(String what, IOException cause) {
        failure =
                new DiskFailure(
                        "can't "
                                + what
                                + " the journal in "
                                + where
                                + ": "
                                + FileCauses.withFile(cause),
                        cause);
        return failure;
    }
}
