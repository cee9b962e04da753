package io.godwit.persistence;

import io.godwit.core.message.Coverage;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.store.FillAsk;
import io.godwit.core.store.FillReader;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.journal.QueueHandles;
import io.godwit.persistence.reading.FillPiece;
import io.godwit.persistence.reading.Moments;
import io.godwit.persistence.settings.StoreRule;
import io.godwit.persistence.settings.StoreRules;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Asks for a piece of another node's copy. */
final class FillQuestion implements MomentReads.Question {
    private final FillAsk ask;
    private final FillReader to;
    private final QueueHandles handles;
    private final Moments moments;
    private final boolean atItsMoment;
    private final List<Moments.Led> led = new ArrayList<>();
    private @Nullable FillPiece piece;

    FillQuestion(
            FillAsk ask, FillReader to, QueueHandles handles, Moments moments, StoreRules rules) {
        this.ask = ask;
        this.to = to;
        this.handles = handles;
        this.moments = moments;
        atItsMoment = rules.holds(StoreRule.MOMENT_PAGES);
    }

    @Override
    public void atMoment() {
        for (long queueId : ask.queueIds()) {
            QueueHandle queue = handles.find(queueId);
            Coverage grown = new Coverage();
            if (queue != null && queue.writtenClock != 0) {
                grown.add(queue.writtenServer, queue.coveredFrom, queue.writtenClock);
            }
            led.add(new Moments.Led(queueId, queue == null ? 0 : queue.epoch, grown));
        }
        if (atItsMoment) {
            to.onMoment();
        }
    }

    @Override
    public MomentReads.Source open(Iterable<JournalEntry> window) throws DiskFailure {
        FillPiece opened = moments.fill(ask, led, window);
        piece = opened;
        return opened::close;
    }

    @Override
    public boolean read() throws DiskFailure {
        FillPiece there = piece;
        if (there == null) {
            throw new IllegalStateException("not opened");
        }
        FillPiece.Filled filled = there.read();
        if (!atItsMoment) {
            to.onMoment();
        }
        to.onRead(filled.bodies(), filled.leftOut(), filled.next());
        return false;
    }

    @Override
    public void failed(Throwable cause) {
        to.onFailed(cause);
    }
}
