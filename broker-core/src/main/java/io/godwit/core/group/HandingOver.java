package io.godwit.core.group;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.routing.SessionRef;
import io.godwit.core.settings.Rule;
import io.godwit.core.settings.Rules;
import io.godwit.core.store.Receiver;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hands entries at QoS 2 over to the queues of durable members, which send them like any other
 * message of their own. The queue remembers each under an id that says this node and the entry,
 * until the entry is gone here.
 *
 * <pre>
 * step                                                  when                  on a crash behind it
 * the entry is marked with the session                  a member is chosen    the session is asked
 * the message goes to the session                       the mark is kept      the session is asked
 * the session appends it, and remembers the id          it comes there        the session is asked
 * the entry is removed                                  the append is kept    it stays the session's
 * the session forgets the id                            the removal is kept   it stays the session's
 * </pre>
 *
 * <p>One that the session did not append is idle again. What an earlier start or another leader of
 * the group has marked, and what was under way to a session that another node leads now, is asked
 * for at the session's leader. Bounded by the members' credit.
 */
final class HandingOver {
    private final GroupEffects effects;
    private final Rules rules;

    /** In no order; each knows its place. */
    private final ArrayList<HandedOver> underWay = new ArrayList<>(0);

    HandingOver(GroupEffects effects, Rules rules) {
        this.effects = effects;
        this.rules = rules;
    }

    /** Counts the entries that are marked, and that no queue of a member is known to have. */
    int underWay() {
        return underWay.size();
    }

    private boolean isUnderWay(HandedOver each) {
        return each.entry.holder == each;
    }

    private void add(HandedOver each) {
        each.entry.holder = each;
        each.place = underWay.size();
        underWay.add(each);
    }

    /**
     * @return false when something has ended it before
     */
    private boolean remove(HandedOver each) {
        if (!isUnderWay(each)) {
            return false;
        }
        each.entry.holder = null;
        HandedOver last = underWay.removeLast();
        if (last != each) {
            underWay.set(each.place, last);
            last.place = each.place;
        }
        return true;
    }

    // ---------------------------------------------------------------- to the member

    /** Marks an entry with a member, and sends it there when that is kept. */
    void give(PartEntry entry, GroupMember member, Message message) {
        Receiver to = member.receiver(effects);
        HandedOver given = new HandedOver(entry, to, member.subscription, member.attachment);
        add(given);
        entry.part.inFlight(entry, Receiver.NO_PACKET_ID, to);
        if (rules.holds(Rule.GROUP_MARKS)) {
            entry.part.whenKept(isKept -> {
                if (isKept && isUnderWay(given)) {
                    effects.handOver(given, message);
                }
            });
        } else {
            effects.handOver(given, message);
        }
    }

    /** Takes up an entry that an earlier start, or another leader, has marked with a session. */
    void recovered(PartEntry entry, Receiver to) {
        entry.packetId = Receiver.NO_PACKET_ID;
        entry.receiver = to;
        entry.isKnownElsewhere = true;
        HandedOver left = new HandedOver(entry, to);
        add(left);
        effects.ask(left);
    }

    // ---------------------------------------------------------------- what becomes of it

    /** The session's queue has it, and keeps that: the entry ends here. */
    void appended(HandedOver each) {
        if (remove(each)) {
            each.entry.part.end(each.entry);
            overWhenKept(each);
        }
    }

    /**
     * Says that an entry is over once its end is kept; not if another node has adopted the queue,
     * which may have the entry and says so itself.
     */
    private void overWhenKept(HandedOver each) {
        each.entry.part.whenKept(isKept -> {
            if (isKept && !each.entry.part.isGivenUp()) {
                effects.over(each);
            }
        });
    }

    /**
     * The session has not appended it, and will not.
     *
     * @return whether the entry is nobody's now
     */
    boolean notAppended(HandedOver each) {
        return remove(each);
    }

    /**
     * There is no such session any more: whether it has sent the message nobody knows.
     *
     * @param giveUp ends the entry
     */
    void gone(HandedOver each, Consumer<PartEntry> giveUp) {
        if (remove(each)) {
            giveUp.accept(each.entry);
            overWhenKept(each);
        }
    }

    /** Another node leads the session now: only that one knows whether it has the entry. */
    void isElsewhere(HandedOver each) {
        if (isUnderWay(each)) {
            each.entry.isKnownElsewhere = true;
            effects.ask(each);
        }
    }

    /** Nobody could say whether the session's queue has it. */
    void isUnknown(HandedOver each) {
        if (isUnderWay(each)) {
            effects.askLater(each);
        }
    }

    /** A session is here no more, though it has not ended: what is under way to it is asked for. */
    void isElsewhere(SessionRef session) {
        for (HandedOver each : List.copyOf(underWay)) {
            if (session.equals(each.session())) {
                isElsewhere(each);
            }
        }
    }

    /**
     * Lets go of what the store has of this: another node leads the group's queues now, and finds
     * the marks there.
     */
    List<PartEntry> giveUp() {
        List<PartEntry> all = new ArrayList<>();
        for (HandedOver each : List.copyOf(underWay)) {
            if (each.entry.isKept()) {
                remove(each);
                all.add(each.entry);
            }
        }
        return all;
    }

    /** Lists the ids of the entries that are under way. */
    void forEach(Consumer<HybridId> taker) {
        underWay.forEach(each -> taker.accept(each.entry.id()));
    }

    /** Returns whether the member of an entry that has left its window gets credit for it, once. */
    static boolean takesCredit(HandedOver each, @Nullable GroupMember member) {
        boolean counts =
                each.countsForCredit
                        && member != null
                        && member.online
                        && member.attachment == each.attachment();
        each.countsForCredit = false;
        return counts;
    }
}
