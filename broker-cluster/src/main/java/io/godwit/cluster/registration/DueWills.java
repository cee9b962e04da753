package io.godwit.cluster.registration;

import io.godwit.cluster.registration.RegistrationMessage.PublishWill;
import io.godwit.cluster.registration.RegistrationMessage.WillAnswered;
import io.godwit.cluster.registration.RegistrationMessage.WillDue;
import io.godwit.cluster.registration.RegistrationMessage.WillDue.Source;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Will;
import io.godwit.core.session.WillKeeper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Has the leaders of their slots publish the Wills of one shard's transient connections, and those
 * that earlier starts of this node have left. While a leader is out of reach its stand-in is asked,
 * but not for those of earlier starts: the leader may have published them before.
 *
 * <p>Who was asked is asked alone, until that start has ended, or is out of reach and neither leads
 * the slot nor stands in. If it ends between publishing and its answer the Will comes twice.
 */
final class DueWills {
    /** How often it is looked whether who was asked may still answer. */
    private static final long LOOK_MS = 1000;

    /** A Will that is due. */
    static final class Due {
        final ClientId clientId;
        final long number;
        final Will will;
        private final WillKeeper.Passed then;

        /** Its connection; null: it was at an earlier start of this node. */
        private final @Nullable EdgeStay stay;

        private boolean isBegun;

        /** The leader that knows the connection with its Will; null: none does. */
        private @Nullable Leader knownBy;

        /** The stand-in that knows them; null: none does. */
        private @Nullable Leader knownByStandIn;

        /** The node that is asked to publish it; null: none can be. */
        private @Nullable Leader asked;

        Due(
                ClientId clientId,
                long number,
                Will will,
                WillKeeper.Passed then,
                @Nullable EdgeStay stay) {
            this.clientId = clientId;
            this.number = number;
            this.will = will;
            this.then = then;
            this.stay = stay;
        }

        /** Whether somebody is asked for it. */
        boolean isAskedFor() {
            return asked != null;
        }
    }

    private final NodeStart self;
    private final Leaders leaders;
    private final RegistrationOutbox outbox;
    private final EdgeRegistrations registrations;
    private final Map<Long, Due> all = new LinkedHashMap<>();
    private long sinceLookMs;

    DueWills(
            NodeStart self,
            Leaders leaders,
            RegistrationOutbox outbox,
            EdgeRegistrations registrations) {
        this.self = self;
        this.leaders = leaders;
        this.outbox = outbox;
        this.registrations = registrations;
    }

    int size() {
        return all.size();
    }

    /** Asks for a Will whose client's publishes are answered. A second call changes nothing. */
    void begin(Due due) {
        if (due.isBegun) {
            return;
        }
        due.isBegun = true;
        EdgeStay stay = due.stay;
        if (stay != null) {
            due.knownBy = registrations.leaderThatKnows(stay);
            due.knownByStandIn = registrations.standInThatKnows(stay);
        }
        all.put(due.number, due);
        ask(due);
    }

    void onAnswer(NodeStart from, WillAnswered answer) {
        Due due = all.get(answer.number());
        if (due == null || !isAsked(due, from)) {
            return;
        }
        if (answer.isSettled()) {
            all.remove(due.number);
            due.then.settled();
        } else {
            due.asked = null; // Another leader is known soon.
        }
    }

    /** Publishes a Will of an earlier start from its record: this node leads the slot. */
    void publish(NodeStart from, PublishWill message) {
        Due due = all.get(message.number());
        if (due != null && isAsked(due, from)) {
            all.remove(due.number);
            due.then.publish();
        }
    }

    private static boolean isAsked(Due due, NodeStart from) {
        Leader asked = due.asked;
        return asked != null && asked.node().equals(from);
    }

    /** Looks from time to time at what was asked. */
    void onTick(long passedMs) {
        sinceLookMs += passedMs;
        if (sinceLookMs >= LOOK_MS) {
            sinceLookMs = 0;
            lookAtAll();
        }
    }

    /** Asks for what nobody is asked for, or whoever was asked does not answer any more. */
    void lookAtAll() {
        if (!all.isEmpty()) {
            List.copyOf(all.values()).stream().filter(this::isAskedInVain).forEach(this::ask);
        }
    }

    private boolean isAskedInVain(Due due) {
        Leader asked = due.asked;
        if (asked != null && outbox.isHeard(asked.node())) {
            return false;
        }
        int slot = due.clientId.slot();
        return asked == null
                || !outbox.knows(asked.node())
                || !asked.equals(leaders.leader(slot)) && !asked.equals(leaders.standIn(slot));
    }

    private void ask(Due due) {
        Leader to = granter(due);
        due.asked = to;
        if (to == null) {
            return;
        }
        EdgeStay stay = due.stay;
        outbox.send(
                to.node(),
                to.standsIn(),
                new WillDue(due.clientId, due.number, source(due, to), due.will));
        if (stay != null && stay.isOver) {
            registrations.ended(stay);
        }
    }

    private Source source(Due due, Leader to) {
        if (due.stay == null) {
            return Source.EARLIER_START;
        }
        boolean isOther = !to.node().equals(self); // This one registers none of its own.
        return isOther && (to.equals(due.knownBy) || to.equals(due.knownByStandIn))
                ? Source.REGISTERED
                : Source.UNKNOWN;
    }

    private @Nullable Leader granter(Due due) {
        int slot = due.clientId.slot();
        Leader leader = leaders.leader(slot);
        if (leader != null && mayAsk(slot, leader)) {
            return leader;
        }
        Leader standIn = due.stay == null ? null : leaders.standIn(slot);
        return standIn != null && mayAsk(slot, standIn) ? standIn : null;
    }

    private boolean mayAsk(int slot, Leader leader) {
        return outbox.isHeard(leader.node()) && registrations.isTold(slot, leader);
    }
}
