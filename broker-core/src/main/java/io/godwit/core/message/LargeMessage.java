package io.godwit.core.message;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A message that is large enough for the account of memory to care in how many queues it is: it is
 * in memory once. Small ones are counted in each, since a counter that all shards change would cost
 * more than they take.
 */
public final class LargeMessage extends Message {
    /** Bytes of payload from which on a message is large. */
    public static final int FROM = 2 << 10;

    /**
     * How often it is counted at most: on its way to the disk it is in the journal's record and in
     * the rows for a moment, too.
     */
    private static final int COUNTED_AT_MOST = 3;

    /** How many have it waiting or in flight, on all shards. */
    private final AtomicInteger queues = new AtomicInteger();

    LargeMessage(
            Topic topic,
            byte[] payload,
            byte[] properties,
            int qos,
            boolean retain,
            long expiresAtMs,
            @Nullable ClientId publisher,
            int ingressServer,
            long ingressCounter) {
        super(
                topic,
                payload,
                properties,
                qos,
                retain,
                expiresAtMs,
                publisher,
                ingressServer,
                ingressCounter);
    }

    @Override
    public int countedAgain(int sign) {
        int before = queues.getAndAdd(sign);
        int more = Math.min(before, before + sign);
        return more >= COUNTED_AT_MOST ? sign * accountedBytes() : 0;
    }
}
