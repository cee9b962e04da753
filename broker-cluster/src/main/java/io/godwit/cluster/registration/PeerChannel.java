package io.godwit.cluster.registration;

import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.Unconfirmed;
import io.godwit.core.operation.ByteWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends what one shard has for one start of a peer: each message arrives once and in order, over
 * any number of links. What a broken link has not confirmed waits for the next one.
 */
final class PeerChannel {
    /** A batch above this leaves before the turn's end. */
    private static final int BATCH_BYTES = 64 << 10;

    private final int shard;
    private final ByteWriter gathered = new ByteWriter(256);

    private @Nullable PeerLink link;

    /** Offered to a link that has ended, in order: the peer may have received a beginning of it. */
    private List<Unconfirmed> unconfirmed = List.of();

    /** Never offered, or refused by a link that had ended. */
    private final ArrayDeque<RegistrationBatch> unsent = new ArrayDeque<>(0);

    private long waitingBytes;

    PeerChannel(int shard) {
        this.shard = shard;
    }

    /** Gathers a message for the end of the turn. */
    void add(RegistrationMessage message) {
        RegistrationCodec.write(gathered, message);
        if (gathered.length() >= BATCH_BYTES) {
            flush();
        }
    }

    boolean hasGathered() {
        return gathered.length() > 0;
    }

    void flush() {
        if (hasGathered()) {
            offer(new RegistrationBatch(shard, gathered.toBytes()));
            gathered.clear();
        }
    }

    private void offer(RegistrationBatch batch) {
        PeerLink open = link;
        if (open == null || !open.offer(batch)) {
            link = null;
            unsent.add(batch);
            waitingBytes += batch.bytes();
        }
    }

    void onUp(PeerLink opened, Resumed resumed) {
        List<RegistrationBatch> again = new ArrayList<>();
        for (Unconfirmed each : unconfirmed) {
            if (!resumed.has(each)) {
                again.add((RegistrationBatch) each.message());
            }
        }
        again.addAll(unsent);
        unconfirmed = List.of();
        unsent.clear();
        waitingBytes = 0;
        link = opened;
        again.forEach(this::offer);
    }

    /**
     * Keeps what a link has not confirmed.
     *
     * @param mine batches of this shard, in their order
     */
    void onDown(List<Unconfirmed> mine) {
        link = null;
        unconfirmed = mine;
        for (Unconfirmed each : mine) {
            waitingBytes += each.message().bytes();
        }
    }

    /** Counts the bytes that wait for the next link. */
    long waitingBytes() {
        return waitingBytes;
    }
}
