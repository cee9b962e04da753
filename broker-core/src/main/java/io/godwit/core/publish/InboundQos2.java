package io.godwit.core.publish;

import io.godwit.core.ack.MovedReceipt;
import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.Takers;
import io.godwit.core.id.IngressId;
import io.godwit.core.load.QueueAccounts;
import io.godwit.core.shard.Mailer;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.Inbound;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Packet ids of QoS 2 PUBLISHes that were taken in and not yet released by PUBREL: a PUBLISH that
 * comes again under one of them is the same message [MQTT-4.3.3-10].
 */
public final class InboundQos2 {
    /**
     * How many PUBLISHes of a session that has ended are released in one slice; each may have a
     * thousand takers.
     */
    static final int RELEASED_AT_ONCE = 20;

    private final Map<Integer, Qos2Receipt> receipts = new HashMap<>();

    /** The accounts of the shard that the session counts on; null while it counts on none. */
    private @Nullable QueueAccounts accounts;

    /** Bytes of the lists of those who remember a PUBLISH. */
    private long takerBytes;

    public @Nullable Receipt get(int packetId) {
        return receipts.get(packetId);
    }

    /**
     * @param again what the restart has found of this PUBLISH, which is kept already; else null
     */
    public Receipt put(
            PublisherSession session,
            PublisherLink from,
            int packetId,
            int serverId,
            long ingressCounter,
            @Nullable InboundReceipt again) {
        Qos2Receipt receipt;
        if (again != null) {
            uncharge(again);
            receipt = new InboundReceipt(from, session, again.inbound, false);
            receipt.isAgain = true;
            receipt.takenBy(again.takeTakers());
        } else if (session.isDurable()) {
            Inbound kept = new Inbound(session.queueId(), packetId, serverId, ingressCounter);
            session.store().putInbound(kept);
            receipt = new InboundReceipt(from, session, kept, false);
        } else {
            receipt = new Qos2Receipt(from, session, packetId);
        }
        receipts.put(packetId, receipt);
        return receipt;
    }

    /** Takes up a PUBLISH that was kept; called at start. */
    public Qos2Receipt recover(PublisherSession session, Inbound kept) {
        Qos2Receipt receipt = InboundReceipt.recovered(session, kept);
        receipts.put(receipt.packetId, receipt);
        return receipt;
    }

    /**
     * A PUBLISH is not answered before it comes again: then it is routed under the same ingress id,
     * since it may have been before.
     */
    public void giveUp(PublisherSession session, Receipt receipt) {
        if (receipts.get(receipt.packetId) == receipt && receipt instanceof InboundReceipt kept) {
            Qos2Receipt left = recover(session, kept.inbound);
            left.takenBy(kept.takeTakers());
            charge(left);
        } else {
            receipts.remove(receipt.packetId, receipt);
        }
    }

    /**
     * Gives up all PUBLISHes that not every target has: what they wait for here may be elsewhere
     * now. Those of a session that is not kept end with its connection.
     */
    public void giveUpUntaken(PublisherSession session) {
        for (Qos2Receipt each : List.copyOf(receipts.values())) {
            if (each instanceof InboundReceipt && !each.isDone()) {
                giveUp(session, each);
            }
        }
    }

    /**
     * @return whether it was there
     */
    public boolean remove(int packetId, Shard shard) {
        Qos2Receipt removed = receipts.remove(packetId);
        if (removed instanceof InboundReceipt kept) {
            shard.store().removeInbound(kept.inbound);
        }
        if (removed != null) {
            uncharge(removed);
            removed.release(shard);
        }
        return removed != null;
    }

    // ---------------------------------------------------------------- who remembers them, in
    // memory

    /** Counts in these accounts from now on. */
    public void enter(QueueAccounts at) {
        leave();
        accounts = at;
        at.remembered(takerBytes);
    }

    /** Does not count in its accounts any more. */
    public void leave() {
        if (accounts != null) {
            accounts.remembered(-takerBytes);
            accounts = null;
        }
    }

    /**
     * Charges the list of those who remember a PUBLISH that every target has. Without room for it
     * they forget the message at once: a client may leave up to 65 535 of them without PUBREL, each
     * with thousands of subscribers.
     *
     * @return false when there was no room
     */
    public boolean charge(Qos2Receipt receipt, Shard shard) {
        if (receipt.takerBytes() > 0 && accounts != null && !accounts.mayRemember()) {
            receipt.release(shard);
            return false;
        }
        charge(receipt);
        return true;
    }

    /** The same, whether there is room or not. */
    public void charge(Qos2Receipt receipt) {
        uncharge(receipt);
        account(receipt, receipt.takerBytes());
    }

    private void uncharge(Qos2Receipt receipt) {
        account(receipt, -receipt.charged);
    }

    private void account(Qos2Receipt receipt, long change) {
        receipt.charged += change;
        takerBytes += change;
        if (accounts != null) {
            accounts.remembered(change);
        }
    }

    // ---------------------------------------------------------------- the session ends, or is
    // handed over

    /** Releases all PUBLISHes of a session that has ended: none comes again. */
    public void release(Shard shard) {
        receipts.values().forEach(this::uncharge);
        Iterator<Qos2Receipt> all = List.copyOf(receipts.values()).iterator();
        receipts.clear();
        if (!releaseSome(all, shard)) {
            shard.slice(() -> releaseSome(all, shard));
        }
    }

    /**
     * Lets go of all PUBLISHes of a session that another node goes on with.
     *
     * @param remembered takes those that somebody remembers, by their ingress ids
     */
    public void letGo(Map<IngressId, Takers> remembered) {
        for (Qos2Receipt each : receipts.values()) {
            uncharge(each);
            Takers takers = each.takeTakers();
            if (takers != null && each instanceof InboundReceipt kept) {
                Inbound inbound = kept.inbound;
                remembered.put(
                        new IngressId(inbound.ingressServer, inbound.ingressCounter), takers);
            }
        }
        receipts.clear();
    }

    private static boolean releaseSome(Iterator<Qos2Receipt> all, Shard shard) {
        for (int i = 0; i < RELEASED_AT_ONCE && all.hasNext(); i++) {
            all.next().release(shard);
        }
        return !all.hasNext();
    }

    /**
     * Moves with the session to another shard: a receipt that waits stays where its targets tell
     * it, and passes on what it hears.
     */
    public void move(Mailer from, int to) {
        receipts.replaceAll((packetId, receipt) ->
                receipt.isDone() ? receipt : (Qos2Receipt) MovedReceipt.leave(from, to, receipt));
    }

    public int size() {
        return receipts.size();
    }
}
