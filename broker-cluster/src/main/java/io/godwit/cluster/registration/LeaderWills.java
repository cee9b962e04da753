package io.godwit.cluster.registration;

import io.godwit.cluster.registration.RegistrationMessage.End;
import io.godwit.cluster.registration.RegistrationMessage.PublishWill;
import io.godwit.cluster.registration.RegistrationMessage.WillAnswered;
import io.godwit.cluster.registration.RegistrationMessage.WillDue;
import io.godwit.cluster.registration.RegistrationMessage.WillDue.Source;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Will;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the Wills of registered connections, for a {@link LeaderRegistry}. It alone decides: an
 * edge never publishes the Will of a connection that another node has registered.
 *
 * <pre>
 * a registered Will     trigger                                      becomes
 * its connection lives  WillDue from its edge                        published
 *                       Unregister                                   dropped
 *                       a newer connection of the client id          dropped
 *                       its edge has ended, is gone or forgotten     published; dropped if a newer
 *                                                                    connection is on its way
 *                       the slot is lost                             told to the next leader
 * published, dropped    WillDue from its edge                        settled: the edge forgets it
 * </pre>
 *
 * A Will of an earlier start of its edge is published unless the client has connected since, or a
 * leader of the slot has seen the end of that start: it has decided, and tells the next one. One of
 * an earlier start of this node is published from the record that it stands in.
 */
final class LeaderWills {
    /**
     * A Will that waits for its slot to open: until then it is not known where its client is.
     *
     * @param from who has asked for it; null: nobody, since its node is gone
     * @param source where that one has it from; null: nobody has asked
     */
    record Held(
            ClientId clientId,
            Will will,
            @Nullable NodeStart from,
            long number,
            @Nullable Source source) {}

    private final NodeStart self;
    private final LedSlots slots;
    private final RegistryEntries entries;
    private final LocalClaims registrar;
    private final RegistrationOutbox outbox;
    private final boolean standsIn;

    /** Holds the server ids of nodes of which a start has ended while this one ran. */
    private final Set<Integer> ended = new HashSet<>();

    LeaderWills(
            NodeStart self,
            LedSlots slots,
            RegistryEntries entries,
            LocalClaims registrar,
            RegistrationOutbox outbox,
            boolean standsIn) {
        this.self = self;
        this.slots = slots;
        this.entries = entries;
        this.registrar = registrar;
        this.outbox = outbox;
        this.standsIn = standsIn;
    }

    // ---------------------------------------------------------------- an edge asks

    void onDue(NodeStart from, WillDue message) {
        ClientId clientId = message.clientId();
        int slot = clientId.slot();
        LedSlot in = slots.get(slot);
        if (in == null || !in.isLed || in.isGiven) {
            answer(from, message.number(), false);
            return;
        }
        Source source = message.source();
        Held due = new Held(clientId, message.will(), from, message.number(), source);
        if (source == Source.REGISTERED && !isTaken(from, message)) {
            settle(due);
        } else if (!in.isOpen) {
            in.hold(due);
        } else if (source == Source.REGISTERED) {
            publish(due);
        } else {
            publishUnlessBack(in, due);
        }
    }

    /** Takes the Will from its connection. Returns whether it was still there. */
    private boolean isTaken(NodeStart from, WillDue message) {
        RegistryEntry entry = entries.get(message.clientId());
        return entry != null && entries.takeWill(entry, from, message.number()) != null;
    }

    private void publishUnlessBack(LedSlot in, Held due) {
        if (isDecided(in, due) || isBack(due)) {
            settle(due);
        } else {
            publish(due);
        }
    }

    /**
     * Whether the client is connected, or on its way. A CONNECT at this node waits behind a Will in
     * this node's records: it comes back after its Will was published.
     */
    private boolean isBack(Held due) {
        RegistryEntry entry = entries.get(due.clientId);
        if (registrar.hasSession(due.clientId) || entry != null && entry.hasHolder()) {
            return true;
        }
        EntryClaims claims = entry == null ? null : entry.claims;
        return claims != null && (!isOfOwnRecord(due) || claims.isOfOtherThan(self));
    }

    private boolean isOfOwnRecord(Held due) {
        return due.source == Source.EARLIER_START && self.equals(due.from);
    }

    /** Whether it is of an earlier start whose end a leader of the slot has seen. */
    private boolean isDecided(LedSlot in, Held due) {
        NodeStart from = due.from;
        return due.source == Source.EARLIER_START
                && from != null
                && (ended.contains(from.server()) || in.isDecided(from.server()));
    }

    private void publish(Held due) {
        if (isOfOwnRecord(due)) {
            outbox.send(self, standsIn, new PublishWill(due.number));
            return;
        }
        registrar.publishWill(due.clientId, due.will, () -> settle(due));
    }

    private void settle(Held due) {
        if (due.from != null) {
            answer(due.from, due.number, true);
        }
    }

    private void answer(NodeStart to, long number, boolean isSettled) {
        outbox.send(to, standsIn, new WillAnswered(number, isSettled));
    }

    // ---------------------------------------------------------------- nodes

    /**
     * Publishes the Wills of the connections at a node that is out of reach for good, as far as is
     * known. Should it be back, these connections end.
     */
    void onGone(NodeStart node) {
        for (ClientId each : entries.withWillsAt(node)) {
            RegistryEntry entry = entries.get(each);
            if (entry != null) {
                entry.forEachHolder((edge, number) -> {
                    if (edge.equals(node) && entry.hasWill(edge, number)) {
                        outbox.send(node, standsIn, new End(each, number));
                    }
                });
                publishAllAt(node, each, entry);
            }
        }
    }

    /** Publishes the Wills of the connections at a start of a node that has ended. */
    void onEnded(NodeStart node) {
        for (ClientId each : entries.withWillsAt(node)) {
            RegistryEntry entry = entries.get(each);
            if (entry != null) {
                publishAllAt(node, each, entry);
            }
        }
        ended.add(node.server());
    }

    private void publishAllAt(NodeStart node, ClientId clientId, RegistryEntry entry) {
        LedSlot in = slots.get(clientId.slot());
        List<Will> wills = entries.takeWillsAt(entry, node);
        if (in == null || in.isGiven || isNewerElsewhere(node, entry)) {
            return;
        }
        for (Will each : wills) {
            Held due = new Held(clientId, each, null, 0, null);
            if (in.isOpen) {
                publish(due);
            } else {
                in.hold(due);
            }
        }
    }

    private static boolean isNewerElsewhere(NodeStart node, RegistryEntry entry) {
        EntryClaims claims = entry.claims;
        return entry.isHeldBesides(node) || claims != null && claims.isOfOtherThan(node);
    }

    // ---------------------------------------------------------------- slots

    /** Publishes what has waited for a slot to open, unless its client is back. */
    void onOpened(LedSlot in) {
        in.takeWills().forEach(each -> publishUnlessBack(in, each));
    }

    /**
     * Returns the nodes of whose ended starts no Will is left in a slot that is lost, for its next
     * leader; those out of reach for good count as ended. While it is not open Wills wait, and are
     * forgotten with it: of these the next leader decides. A stand-in has decided for those alone
     * that have told it their Wills.
     */
    Set<Integer> takeDecided(LedSlot in) {
        Set<Integer> told = in.takeDecided();
        if (standsIn || !in.isOpen) {
            return told;
        }
        Set<Integer> all = outbox.goneServers();
        all.addAll(ended);
        all.addAll(told);
        return all;
    }

    /** Forgets slots; edges ask the next leader. */
    void onLost(BitSet lost) {
        for (int slot = lost.nextSetBit(0); slot >= 0; slot = lost.nextSetBit(slot + 1)) {
            LedSlot in = slots.get(slot);
            if (in != null) {
                for (Held each : in.takeWills()) {
                    if (each.from != null) {
                        answer(each.from, each.number, false);
                    }
                }
            }
        }
    }

    /** Removes the slots of which Wills wait, or are at nodes that are not heard. */
    void removeInUse(BitSet from) {
        for (int slot = from.nextSetBit(0); slot >= 0; slot = from.nextSetBit(slot + 1)) {
            LedSlot in = slots.get(slot);
            if (in != null && in.hasWills()) {
                from.clear(slot);
            }
        }
        for (ClientId each : entries.withWillsAt(node -> !outbox.isHeard(node))) {
            from.clear(each.slot());
        }
    }
}
