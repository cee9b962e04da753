package io.godwit.core.queue;

import io.godwit.core.message.Message;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.settings.Rule;
import io.godwit.core.store.KeptQueue;
import org.jspecify.annotations.Nullable;

/**
 * What goes out to one client, and what the client answers: PUBLISH within the window, sent again
 * after a reconnect, PUBACK, PUBREC, PUBREL and PUBCOMP.
 *
 * <pre>
 * entry     trigger                                    next
 * IDLE      it has a packet id                         SENT: PUBLISH leaves, at QoS 2 when that is kept
 * SENT      PUBACK, or too large for the client        gone
 * SENT      PUBREC                                     RELEASED: PUBREL leaves when that is kept
 * SENT      PUBREC that refuses                        gone
 * RELEASED  PUBCOMP                                    gone
 * </pre>
 */
public final class Delivery {
    private final ClientQueue queue;
    private final QueueOwner owner;
    private final InFlight inFlight;
    final Qos2Outgoing qos2;

    Delivery(ClientQueue queue, QueueOwner owner, InFlight inFlight) {
        this.queue = queue;
        this.owner = owner;
        this.inFlight = inFlight;
        this.qos2 = new Qos2Outgoing(queue, this);
    }

    void onConnectionLost() {
        qos2.onConnectionLost();
    }

    /** Whether what is sent now overtakes nothing. */
    boolean isCaughtUp(Outlet to) {
        return !qos2.awaitsPredecessor()
                && inFlight.isSentAgain()
                && to.canSend()
                && inFlight.hasRoom(to.inFlightMax());
    }

    /** See {@link ClientQueue#onCommitted}. */
    void onCommitted(QueueEntry entry, boolean isKept) {
        if (!isKept) {
            giveUp(entry);
        } else if (!entry.mayLeave) {
            entry.mayLeave = true;
            owner.pump();
        }
    }

    private void giveUp(QueueEntry entry) {
        if (entry.qos == 2) {
            if (inFlight.get(entry.packetId) == entry) {
                inFlight.remove(entry);
            } else {
                queue.backlog.removeIdle(entry);
            }
        }
        owner.pump();
    }

    // ---------------------------------------------------------------- PUBLISH

    void send(Outlet to, QueueEntry entry, Message message) {
        inFlight.add(entry);
        entry.state = QueueEntry.SENT;
        Predecessor before = queue.predecessor();
        if (before != null) {
            before.onInFlight(entry);
        }
        if (entry.kept) {
            queue.keptOf(entry).inFlight(entry);
        }
        if (entry.qos == 2 && entry.isGroups()) {
            // It stays its group's, which keeps that this client has it before PUBLISH leaves.
            entry.mayLeave = false;
            owner.sharedInFlight(entry);
        } else if (entry.qos == 2
                && (entry.kept || !qos2.isEmpty())
                && queue.shard().rules.holds(Rule.PUBLISH_WAITS)) {
            qos2.add(to, entry); // QoS 1 need not wait: order is promised for each QoS.
        } else {
            sendPublish(to, entry, message, false);
        }
    }

    /**
     * Sends a message under its packet id.
     *
     * @return false when it is too large for the client: it has ended [MQTT-3.1.2-25], and its
     *     place in the window is free
     */
    private boolean sendPublish(Outlet to, QueueEntry entry, Message message, boolean dup) {
        switch (to.sendPublish(message, entry, dup)) {
            case LEFT -> entry.hasLeft = true;
            case REVIEWED -> {} // Nobody knows yet whether it leaves.
            case TOO_LARGE -> {
                queue.limits.onTooLarge();
                finish(entry, true);
                return false;
            }
        }
        return true;
    }

    /**
     * Sends a message whose packet id is persisted, unless it has ended meanwhile.
     *
     * @return false when it was discarded, and its place in the window is free
     */
    boolean sendIfInFlight(Outlet to, QueueEntry entry) {
        Message message = entry.message;
        return message == null
                || inFlight.get(entry.packetId) != entry
                || sendPublish(to, entry, message, false);
    }

    /** Sends what waits, as far as window and channel allow. */
    public void pump(Outlet to) {
        if (!inFlight.isSentAgain() && !sendAgain(to)) {
            return;
        }
        queue.leavePredecessor();
        qos2.send(to);
        QueueEntry entry;
        while ((entry = peek()) != null
                && entry.mayLeave
                && to.canSend()
                && inFlight.hasRoom(to.inFlightMax())) {
            queue.front().remove();
            Message message = entry.message;
            if (message == null || message.isExpired(queue.shard().clock.sureMs())) {
                expire(entry, message);
            } else {
                send(to, entry, message);
            }
        }
        queue.front().readAhead();
    }

    /** Has {@link #pump} called, if someone is there. */
    void goOn() {
        owner.pump();
    }

    private @Nullable QueueEntry peek() {
        Backlog next = queue.front();
        return next == queue.backlog && qos2.awaitsPredecessor() ? null : next.peek();
    }

    private void expire(QueueEntry entry, @Nullable Message message) {
        if (message == null) {
            queue.limits.onExpired(1);
        } else {
            queue.limits.onExpired(message);
        }
        finish(entry, false);
    }

    /**
     * Sends again what is in flight, within the new connection's window [MQTT-3.3.4-9].
     *
     * @return whether all was sent
     */
    private boolean sendAgain(Outlet to) {
        if (!inFlight.isInMemory()) {
            return false;
        }
        QueueEntry entry;
        while ((entry = inFlight.peekAgain()) != null) {
            boolean released = entry.state == QueueEntry.RELEASED;
            if (!released && (!to.canSend() || inFlight.sent() >= to.inFlightMax())
                    || !inFlight.mayTakeTurn()) {
                return false;
            }
            inFlight.tookAgain(entry);
            Message message = entry.message;
            if (!entry.mayLeave) {
                continue; // Its group has not answered yet.
            }
            if (released || message == null) {
                sendPubRel(to, entry);
            } else {
                sendPublish(to, entry, message, true);
            }
        }
        return true;
    }

    // ---------------------------------------------------------------- what a reviewer has seen

    /**
     * Whether a message that was shown to a reviewer is still to be sent: its client may have
     * acknowledged what it has not got.
     */
    public boolean isToBeSent(QueueEntry entry) {
        return inFlight.get(entry.packetId) == entry && entry.state == QueueEntry.SENT;
    }

    /** Notes that a message has left behind its review. */
    public void onLeft(QueueEntry entry) {
        entry.hasLeft = true;
    }

    /** Ends a message that is too large for the client as a reviewer has made it. */
    public void onTooLarge(QueueEntry entry) {
        queue.limits.onTooLarge();
        onKeptBack(entry);
    }

    /**
     * Ends a message that a reviewer keeps from the client, as if that had acknowledged it. A
     * client that may have it from an earlier connection keeps its packet id until PUBREL.
     */
    public void onKeptBack(QueueEntry entry) {
        if (entry.qos == 2 && entry.hasLeft) {
            onPubRec(entry.packetId, 0);
        } else {
            finish(entry, true);
        }
        owner.pump(); // There may be room in the window, and the client acknowledges nothing.
    }

    // ---------------------------------------------------------------- the client answers

    /**
     * The caller has what waits go out behind the last of the acknowledgements that came together.
     *
     * @return false when the packet id is not in flight, or not at this QoS
     */
    public boolean onPubAck(int packetId) {
        QueueEntry entry = inFlight.get(packetId);
        if (entry == null || entry.qos != 1) {
            return false;
        }
        finish(entry, true);
        return true;
    }

    /** See {@link #onPubAck}. */
    public boolean onPubRec(int packetId, int reasonCode) {
        QueueEntry entry = inFlight.get(packetId);
        if (entry == null || entry.qos != 2) {
            return false;
        }
        if (reasonCode >= 0x80) {
            finish(entry, true);
            return true;
        }
        if (entry.state == QueueEntry.RELEASED) {
            onPubRecAgain(entry);
            return true;
        }
        inFlight.release(entry);
        if (entry.isGroups()) {
            entry.mayLeave = false; // The group lets go of it before PUBREL leaves.
            owner.sharedGot(entry);
        } else {
            onPubRecAgain(entry);
        }
        return true;
    }

    private void onPubRecAgain(QueueEntry entry) {
        Outlet to = queue.outlet();
        if (to != null && entry.mayLeave) {
            sendPubRel(to, entry);
        }
    }

    /** PUBREL leaves when it is kept that PUBREC came. */
    private void sendPubRel(Outlet to, QueueEntry entry) {
        int packetId = entry.packetId;
        KeptQueue itsKept = queue.keptOf(entry);
        if (entry.kept) {
            itsKept.released(entry);
        } else if (!owner.isDurable()) {
            to.sendPubRel(packetId); // Nothing of it is with the store.
            return;
        }
        if (!queue.shard().rules.holds(Rule.PUBREL_WAITS)) {
            to.sendPubRel(packetId);
            return;
        }
        itsKept.whenKept(isKept -> {
            if (isKept) {
                to.sendPubRel(packetId);
            } else {
                to.fail(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "the store failed");
            }
        });
    }

    /** See {@link #onPubAck}. */
    public boolean onPubComp(int packetId) {
        QueueEntry entry = inFlight.get(packetId);
        if (entry == null || entry.qos != 2) {
            return false;
        }
        finish(entry, true);
        return true;
    }

    /**
     * The group has kept what the next packet of this entry waits for: that the client has it
     * (PUBLISH), or that it is removed from the group's queue (PUBREL).
     */
    public void sharedGoesOn(QueueEntry entry, boolean isKept) {
        if (inFlight.get(entry.packetId) != entry || entry.mayLeave) {
            return;
        }
        Outlet to = queue.outlet();
        boolean isConnected = to != null && to.isConnected();
        if (!isKept) {
            if (to != null && isConnected) {
                to.fail(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "the store failed");
            }
            return;
        }
        entry.mayLeave = true;
        if (to == null || !isConnected || entry.again) {
            return; // It will be sent with all that is sent again.
        }
        if (entry.state == QueueEntry.RELEASED) {
            sendPubRel(to, entry);
        } else {
            qos2.sendNext(to, entry);
        }
    }

    // ---------------------------------------------------------------- the end of an entry

    /** An entry has come to its end: acknowledged, expired or not deliverable. */
    void finish(QueueEntry entry, boolean inWindow) {
        if (inWindow) {
            inFlight.remove(entry);
        }
        if (entry.source != null) {
            owner.sharedDone(entry.source);
        }
        if (entry.kept) {
            queue.keptOf(entry).remove(entry);
            if (entry.isRowReadBack) {
                entry.dropMessage(); // The store holds the entry for a while, and needs its ids.
            }
            queue.shard().onEnd(entry);
        }
        entry.settle(true);
        Predecessor before = queue.predecessor();
        if (before != null && inWindow) {
            before.onDone(entry);
            queue.leavePredecessor();
        }
    }
}
