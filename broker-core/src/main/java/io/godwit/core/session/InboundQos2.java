package io.godwit.core.session;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Packet ids of QoS 2 PUBLISHes that were taken in and not yet released by PUBREL: a PUBLISH that
 * comes again under one of them is the same message [MQTT-4.3.3-10].
 */
final class InboundQos2 {
    private final Map<Integer, Receipt> receipts = new HashMap<>();

    @Nullable Receipt get(int packetId) {
        return receipts.get(packetId);
    }

    void put(Receipt receipt) {
        receipts.put(receipt.packetId, receipt);
    }

    @Nullable Receipt remove(int packetId) {
        return receipts.remove(packetId);
    }

    /**
     * The session goes to another shard: a receipt that waits stays with those who will tell it,
     * and passes on what it hears.
     */
    void move(SessionShard from, int to) {
        receipts.replaceAll((packetId, receipt) ->
                receipt.isDone() ? receipt : new RelayReceipt.Away(from, to, receipt).arriving);
    }

    int size() {
        return receipts.size();
    }
}
