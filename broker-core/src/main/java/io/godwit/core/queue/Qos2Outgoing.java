package io.godwit.core.queue;

import io.godwit.core.packet.ReasonCode;
import io.godwit.core.settings.Rule;
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
    @Nullable ArrayDeque<QueueEntry> ready;

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

    /**
     * Sends an entry, whose packet id is persisted, behind those that may leave. What is too large
     * for the client makes room in the window, and nobody acknowledges it: what waits goes on here.
     */
    void sendNext(Outlet to, QueueEntry entry) {
        ArrayDeque<QueueEntry> waiting = ready;
        if (waiting == null) {
            waiting = new ArrayDeque<>(2);
            ready = waiting;
        }
        waiting.add(entry);
        if (send(to) && queue.shard().rules.holds(Rule.GOES_ON_BEHIND_DISCARDED)) {
            delivery.goOn();
        }
    }

    /**
     * Sends what may leave, as far as the channel allows.
     *
     * @return whether some of it was discarded, so that the window has room that nobody was told of
     */
    boolean send(Outlet to) {
        ArrayDeque<QueueEntry> waiting = ready;
        boolean hasDiscarded = false;
        while (waiting != null && to.canSend()) {
            QueueEntry entry = waiting.poll();
            if (entry == null) {
                ready = null;
                break;
            }
            hasDiscarded |= !delivery.sendIfInFlight(to, entry);
        }
        return hasDiscarded;
    }
}
