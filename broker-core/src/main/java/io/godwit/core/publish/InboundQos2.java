package io.godwit.core.publish;

import io.godwit.core.ack.MovedReceipt;
import io.godwit.core.ack.Receipt;
import io.godwit.core.shard.Mailer;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.Recovery.KeptInbound;
import io.godwit.core.store.ShardStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Packet ids of QoS 2 PUBLISHes that were taken in and not yet released by PUBREL: a PUBLISH that
 * comes again under one of them is the same message [MQTT-4.3.3-10].
 */
public final class InboundQos2 {
    private final Map<Integer, Receipt> receipts = new HashMap<>();

    public @Nullable Receipt get(int packetId) {
        return receipts.get(packetId);
    }

    /**
     * @param again what the restart has found of it; it is with the store already
     */
    public Receipt put(
            PublisherSession session,
            PublisherLink from,
            int packetId,
            int serverId,
            long ingressCounter,
            @Nullable InboundReceipt again) {
        Receipt receipt;
        if (again != null) {
            receipt = new InboundReceipt(from, session, again.inbound, again.hasIt, false);
            receipt.isRemembered = true;
        } else if (session.isDurable()) {
            Inbound kept = new Inbound(session.queueId(), packetId, serverId, ingressCounter);
            session.store().putInbound(kept);
            receipt = new InboundReceipt(from, session, kept, null, false);
        } else {
            receipt = new Receipt(from, packetId, 2);
        }
        receipts.put(packetId, receipt);
        return receipt;
    }

    /** At start. */
    public void recover(PublisherSession session, KeptInbound kept) {
        Receipt receipt = InboundReceipt.recovered(session, kept.inbound(), kept.hasIt());
        receipts.put(receipt.packetId, receipt);
    }

    /**
     * @param router tells the nodes that it went to
     * @return whether it was there
     */
    public boolean remove(int packetId, ShardStore store, Router router) {
        Receipt removed = receipts.remove(packetId);
        if (removed instanceof InboundReceipt kept) {
            store.removeInbound(kept.inbound);
            over(kept, router);
        }
        return removed != null;
    }

    /** The session has ended: none of them comes again. */
    public void end(Router router) {
        for (Receipt receipt : receipts.values()) {
            if (receipt instanceof InboundReceipt kept) {
                over(kept, router);
            }
        }
    }

    private static void over(InboundReceipt receipt, Router router) {
        if (receipt.isRemembered) {
            router.over(receipt.inbound);
        }
    }

    /**
     * The session goes to another shard: a receipt that waits stays with those who will tell it,
     * and passes on what it hears.
     */
    public void move(Mailer from, int to) {
        receipts.replaceAll((packetId, receipt) ->
                receipt.isDone() ? receipt : MovedReceipt.leave(from, to, receipt));
    }

    /** Those that the store has, in no order. */
    public List<Inbound> kept() {
        return receipts.values().stream()
                .filter(InboundReceipt.class::isInstance)
                .map(each -> ((InboundReceipt) each).inbound)
                .toList();
    }

    public int size() {
        return receipts.size();
    }
}
