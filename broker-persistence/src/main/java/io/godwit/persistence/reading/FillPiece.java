package io.godwit.persistence.reading;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Coverage;
import io.godwit.core.message.Digest;
import io.godwit.core.message.Remembered;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.CoverageCodec;
import io.godwit.core.operation.Op;
import io.godwit.core.operation.Subject;
import io.godwit.core.store.FillAsk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.queue.Forgetting;
import io.godwit.persistence.queue.MetaRecords;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads what queues hold at one moment, for another node's copy. The row worker opens it at the
 * moment, a read worker reads it, once.
 */
public final class FillPiece implements AutoCloseable {
    /**
     * A queue of the piece.
     *
     * @param epoch number of the epoch under which this node leads it
     * @param isOthers whether another node leads it: then only the copy's end is written
     * @param hasRows whether its rows count
     * @param isBefore another queue has it as its predecessor
     * @param covered coverage beyond what stood on the disk
     * @param contents digest of its entries and of what it remembers
     */
    record Queue(
            QueueMoment moment,
            long epoch,
            boolean isOthers,
            boolean hasRows,
            boolean isBefore,
            Coverage covered,
            Digest contents) {}

    /**
     * What was read.
     *
     * @param leftOut queues that the copy has already
     * @param next asks for the rest; null when that is nothing
     */
    public record Filled(List<byte[]> bodies, int leftOut, @Nullable FillAsk next) {}

    private record Record(byte[] key, byte[] value) {}

    private final DiskView disk;
    private final FillAsk ask;
    private final List<Queue> queues;
    private final FillWriter writer;
    private final PayloadCache payloads;
    private final MomentRecords records;
    private final MomentRows coverages;
    private final FillPage.Rows rows;
    private final FillDigest digest;
    private int messages;
    private int leftOut;

    /**
     * @param leader server id of this node
     * @param queues as they are asked for
     */
    FillPiece(DiskView disk, int leader, FillAsk ask, List<Queue> queues) {
        this.disk = disk;
        this.ask = ask;
        this.queues = queues;
        writer = new FillWriter(leader);
        payloads = new PayloadCache(disk, new LargePayloads(disk));
        long first = ask.queueIds()[0];
        long last = ask.queueIds()[ask.queueIds().length - 1];
        records = new MomentRecords(disk, first, last);
        coverages = new MomentRows(disk, 'Q', first, last);
        rows = FillPage.open(disk, first, last);
        digest = new FillDigest(disk, first, last);
    }

    /** Reads as much as fits into the bounds. */
    public Filled read() throws DiskFailure {
        HybridId above = ask.above();
        for (int i = 0; i < queues.size(); i++) {
            if (i > 0 && (messages >= ask.messagesMax() || writer.bytes() >= ask.bytesMax())) {
                return new Filled(writer.end(), leftOut, rest(i, HybridId.NONE));
            }
            HybridId upTo = read(queues.get(i), above);
            if (!upTo.equals(HybridId.MAX)) {
                return new Filled(writer.end(), leftOut, rest(i, upTo));
            }
            above = HybridId.NONE;
        }
        return new Filled(writer.end(), leftOut, null);
    }

    private FillAsk rest(int from, HybridId above) {
        long[] all = ask.queueIds();
        return ask.rest(Arrays.copyOfRange(all, from, all.length), above);
    }

    /**
     * @return up to where it was read; {@link HybridId#MAX} when that is all of the queue
     */
    private HybridId read(Queue queue, HybridId above) throws DiskFailure {
        QueueMoment moment = queue.moment;
        long queueId = moment.queueId;
        if (queue.isOthers) {
            if (endsHere(queue)) {
                writer.begin(Subject.CopyRange.gone(queueId, HybridId.NONE), 0);
            }
            return HybridId.MAX;
        }
        boolean isFirst = above.equals(HybridId.NONE);
        List<Record> kept = new ArrayList<>();
        records.read(moment, queue.hasRows, (key, value) -> kept.add(new Record(key, value)));
        Coverage covered = coverage(queue);
        if (isFirst && isSame(queue, kept, covered)) {
            leftOut++;
            return HybridId.MAX;
        }
        FillPage page =
                new FillPage(
                                disk,
                                payloads,
                                rows,
                                moment,
                                queue.hasRows,
                                above,
                                Math.max(1, ask.messagesMax() - messages),
                                Math.max(1, ask.bytesMax() - writer.bytes()))
                        .read();
        boolean isGone =
                kept.isEmpty()
                        && !queue.isBefore
                        && page.entries.isEmpty()
                        && page.remembered.isEmpty()
                        && page.upTo.equals(HybridId.MAX);
        Coverage coverage = covered.within(above, page.upTo);
        for (FillEntry each : page.entries) {
            if (each.message() != null) {
                // Also one that a repaired store has, and that its coverage does not prove.
                coverage.add(each.id().server(), each.id().clock() - 1, each.id().clock());
            }
        }
        HybridId ended = ended(moment);
        writer.begin(
                isGone
                        ? Subject.CopyRange.gone(queueId, ended)
                        : new Subject.CopyRange(
                                queueId, above, page.upTo, isFirst, false, ended, coverage),
                queue.epoch);
        if (isFirst) {
            kept.forEach(each -> MetaRecords.read(each.key, each.value, writer));
        }
        for (FillEntry each : page.entries) {
            writer.entry(each);
        }
        for (Remembered each : page.remembered) {
            writer.put(Op.REMEMBERED, each, 0);
        }
        messages += page.entries.size() + page.remembered.size();
        return page.upTo;
    }

    /**
     * Whether the copy of a queue that another node leads is to end: not of a session whose slot
     * that node leads, too. It may have the copy as the only one, and have yet to load it.
     */
    private boolean endsHere(Queue queue) throws DiskFailure {
        BitSet led = ask.endsOthers();
        boolean[] isElsewhere = {false};
        records.read(
                queue.moment,
                queue.hasRows,
                (key, value) -> {
                    if (key[0] == 'S') {
                        int slot = MetaRecords.session(key, value).clientId().slot();
                        isElsewhere[0] = led != null && !led.get(slot);
                    }
                });
        return !isElsewhere[0];
    }

    /** Whether the copy has all of the queue; one that has ended is to end there, too. */
    private boolean isSame(Queue queue, List<Record> kept, Coverage covered) throws DiskFailure {
        if (kept.isEmpty() && !queue.isBefore || ask.copied() == FillAsk.Copied.NOTHING) {
            return false;
        }
        digest.begin(queue.contents);
        kept.forEach(each -> digest.add(each.key, each.value));
        Digest here = digest.end(queue.moment, queue.hasRows, queue.epoch, covered);
        return ask.copied().isSame(queue.moment.queueId, here);
    }

    /** The end that is remembered may come behind the moment: what it ends was the queue's, too. */
    private HybridId ended(QueueMoment moment) throws DiskFailure {
        HybridId stored = Forgetting.endOf(disk, moment.queueId);
        return stored.compareTo(moment.ended) < 0 ? moment.ended : stored;
    }

    private Coverage coverage(Queue queue) throws DiskFailure {
        Coverage coverage =
                queue.hasRows && coverages.isAt(queue.moment.queueId)
                        ? CoverageCodec.read(new ByteReader(coverages.value()))
                        : new Coverage();
        coverage.add(queue.covered);
        return coverage;
    }

    @Override
    public void close() {
        records.close();
        coverages.close();
        rows.close();
        digest.close();
    }
}
