package io.godwit.persistence;

import io.godwit.core.message.Digest;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.reading.CopyDigests;
import io.godwit.persistence.reading.Moments;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Asks for the digests of some copies. */
final class CopiesQuestion implements MomentReads.Question {
    private final long[] queueIds;
    private final Consumer<List<Digest>> then;
    private final Moments moments;
    private @Nullable CopyDigests digests;

    CopiesQuestion(long[] queueIds, Consumer<List<Digest>> then, Moments moments) {
        this.queueIds = queueIds;
        this.then = then;
        this.moments = moments;
    }

    @Override
    public void atMoment() {}

    @Override
    public MomentReads.Source open(Iterable<JournalEntry> window) throws DiskFailure {
        CopyDigests opened = moments.copies(queueIds, window);
        digests = opened;
        return opened::close;
    }

    @Override
    public boolean read() throws DiskFailure {
        CopyDigests there = digests;
        if (there == null) {
            throw new IllegalStateException("not opened");
        }
        then.accept(there.read());
        return false;
    }

    @Override
    public void failed(Throwable cause) {
        then.accept(LongStream.of(queueIds).mapToObj(any -> new Digest()).toList());
    }
}
