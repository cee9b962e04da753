package io.godwit.persistence;

import io.godwit.core.store.DigestReader;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.reading.AllDigests;
import io.godwit.persistence.reading.Moments;
import org.jspecify.annotations.Nullable;

/** Asks for the digests of all queues. */
final class DigestQuestion implements MomentReads.Question {
    private final DigestReader to;
    private final Moments moments;
    private @Nullable AllDigests digests;

    DigestQuestion(DigestReader to, Moments moments) {
        this.to = to;
        this.moments = moments;
    }

    @Override
    public void atMoment() {
        to.onMoment();
    }

    @Override
    public MomentReads.Source open(Iterable<JournalEntry> window) throws DiskFailure {
        AllDigests opened = moments.digests(window);
        digests = opened;
        return opened::close;
    }

    @Override
    public boolean read() throws DiskFailure {
        AllDigests there = digests;
        if (there == null) {
            throw new IllegalStateException("not opened");
        }
        if (there.read(to)) {
            return true;
        }
        to.onEnd();
        return false;
    }

    @Override
    public void failed(Throwable cause) {
        to.onFailed(cause);
    }
}
