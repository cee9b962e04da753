package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Counters;
import io.godwit.core.metrics.Metric;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * PUBLISHes of one connection that were read and not routed yet, in order: they wait behind a
 * retained one, for another node's answer or until their ingress id is kept, or are parked during
 * an alarm.
 */
final class HeldPublishes {
    private final ShardLoad load;

    /** Bytes above which nothing more is read: {@code overload.parked-bytes}. */
    private final long bytesMax;

    private final ArrayDeque<Held> held = new ArrayDeque<>(0);
    private long bytes;

    record Held(Message message, @Nullable Receipt receipt) {
        /** Whether it waits until its ingress id is kept. */
        boolean awaitsId() {
            return receipt instanceof InboundReceipt inbound && inbound.awaitsId;
        }
    }

    HeldPublishes(ShardLoad load, long bytesMax) {
        this.load = load;
        this.bytesMax = bytesMax;
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    /** Whether nothing more should be added, for this connection's sake or the node's. */
    boolean isFull() {
        return bytes > bytesMax || !held.isEmpty() && load.isParkingFull();
    }

    long bytes() {
        return bytes;
    }

    void add(Message message, @Nullable Receipt receipt) {
        held.add(new Held(message, receipt));
        count(message.accountedBytes());
    }

    @Nullable Held peek() {
        return held.peek();
    }

    /** Whether it is the PUBLISH of this receipt that {@link #peek} shows. */
    boolean isFirst(Receipt receipt) {
        Held first = held.peek();
        return first != null && first.receipt() == receipt;
    }

    /** Whether the first waits until its ingress id is kept. */
    boolean awaitsId() {
        Held first = held.peek();
        return first != null && first.awaitsId();
    }

    /** Takes what {@link #peek} has shown. */
    void remove() {
        count(-held.remove().message().accountedBytes());
    }

    /**
     * Drops all of them, which a client has left behind that is gone. What was to be acknowledged
     * was not, and comes again: nothing of the client has to wait for so long.
     */
    void giveUp(PublisherSession session, Counters counters) {
        while (!held.isEmpty()) {
            giveUpFirst(session, counters);
        }
    }

    /** Drops what {@link #peek} has shown. */
    void giveUpFirst(PublisherSession session, Counters counters) {
        Receipt receipt = held.element().receipt();
        remove();
        if (receipt == null) {
            counters.increment(Metric.DROPPED_QOS0_NODE);
        } else if (receipt.qos == 2) {
            session.giveUpInboundQos2(receipt);
        }
    }

    private void count(int change) {
        bytes += change;
        load.parked(change);
    }
}
