package io.godwit.persistence.reading;

import io.godwit.core.message.Coverage;
import io.godwit.core.message.Digest;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the digests of some copies, as they stand at one moment. The row worker opens it at the
 * moment, a read worker reads it, once.
 */
public final class CopyDigests implements AutoCloseable {
    /**
     * A copy.
     *
     * @param hasRows whether its rows count
     * @param contents digest of its entries and of what it remembers; null when it is not known
     * @param epoch number of the epoch under which its leader leads it
     */
    record Copy(
            QueueMoment moment,
            boolean hasRows,
            @Nullable Digest contents,
            long epoch,
            Coverage coverage) {}

    private final List<Copy> copies;
    private final MomentRecords records;
    private final FillDigest digest;

    /**
     * @param copies rising by {@link Long#compareUnsigned}
     */
    CopyDigests(DiskView disk, List<Copy> copies) {
        this.copies = copies;
        long first = copies.getFirst().moment.queueId;
        long last = copies.getLast().moment.queueId;
        records = new MomentRecords(disk, first, last);
        digest = new FillDigest(disk, first, last);
    }

    /** Reads them all; that of nothing stands for a copy of which it is not known. */
    public List<Digest> read() throws DiskFailure {
        List<Digest> digests = new ArrayList<>(copies.size());
        for (Copy each : copies) {
            if (each.contents == null) {
                digests.add(new Digest());
                continue;
            }
            digest.begin(each.contents);
            records.read(each.moment, each.hasRows, digest::add);
            digests.add(digest.end(each.moment, each.hasRows, each.epoch, each.coverage));
        }
        return digests;
    }

    @Override
    public void close() {
        records.close();
        digest.close();
    }
}
