package io.godwit.core.queue;

import io.godwit.core.packet.ReasonCode;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * QoS 2 messages that have a packet id and have not left: the id is kept first, since a message
 * would come twice if it had another one after a restart. None overtakes another on the way.
 */
final class Qos2Outgoing {
    private final ClientQueue queue;
    private final Delivery delivery;

    /** How many packet ids are not kept yet. */
    private int idsUnkept;

    /** Entries that may leave as soon as the channel takes them. */
    private @Nullable ArrayDeque<QueueEntry> ready;

    Qos2Outgoing(ClientQueue queue, Delivery delivery) {
        this.queue = queue;
        this.delivery = delivery;
    }

    /** The next connection gets them again. */
    void onConnectionLost() {
        ready = null;
        idsUnkept = 0;
        Predecessor before = queue.predecessor();
        if (before != null) {
            before.idsUnkept = 0;
        }
    }

    boolean isEmpty() {
        return idsUnkept == 0 && ready == null;
    }

    /**
     * Whether a packet id of the predecessor's is still being kept. Its store may confirm later
     * than this queue's own, whose QoS 2 messages must not overtake it.
     */
    boolean awaitsPredecessor() {
        Predecessor before = queue.predecessor();
        return before != null && before.idsUnkept > 0;
    }

    /** The entry was just given its packet id. */
    void add(Outlet to, QueueEntry entry) {
        idsUnkept++;
        Predecessor before = queue.predecessor();
        if (before != null && before.has(entry)) {
            before.idsUnkept++;
        }
        queue.keptOf(entry).whenKept(isKept -> onPacketIdKept(to, entry, isKept));
    }

    private void onPacketIdKept(Outlet to, QueueEntry entry, boolean isKept) {
        if (queue.outlet() != to || !to.isConnected()) {
            return; // The next connection gets it again.
        }
        idsUnkept--;
        Predecessor before = queue.predecessor();
        boolean isOfBefore = before != null && before.has(entry);
        if (before != null && isOfBefore) {
            before.idsUnkept--;
        }
        if (!isKept) {
            to.fail(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "the store failed");
            return;
        }
        sendNext(to, entry);
        if (isOfBefore && !awaitsPredecessor()) {
            delivery.goOn(); // What is this queue's own has waited for that.
        }
    }

    /** What this entry has waited for is kept: it leaves behind those that may, too. */
    void sendNext(Outlet to, QueueEntry entry) {
        ArrayDeque<QueueEntry> waiting = ready;
        if (waiting == null) {
            waiting = new ArrayDeque<>(2);
            ready = waiting;
        }
        waiting.add(entry);
        send(to);
    }

    /** Sends what may leave, as far as the channel allows. */
    void send(Outlet to) {
        ArrayDeque<QueueEntry> waiting = ready;
        while (waiting != null && to.canSend()) {
            QueueEntry entry = waiting.poll();
            if (entry == null) {
                ready = null;
                return;
            }
            delivery.sendIfInFlight(to, entry);
        }
    }
}
