package io.godwit.cluster.stream;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.publish.GroupTargets;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** A record of an {@link OutStream} until it is answered, if it is not written at once. */
final class OutEntry {
    /** Stands for a record that nobody needs any more. */
    private static final StreamRecord GONE = new StreamRecord.FiltersEnd();

    StreamRecord record;

    /** Of the record, which another thread has written since, and whose message is far away. */
    final int bytes;

    /** Goes with no other start: QoS 0. */
    final boolean once;

    /** Its receipt waits only while the node is heard. */
    final boolean lenient;

    /** Whether only transient subscribers of that node get it: it ends when the node is away. */
    boolean forTransient;

    /** It may have come to an earlier start of the node, or by an earlier start of this one. */
    boolean again;

    /** Not to leave yet, nor anything behind it. */
    boolean held;

    boolean done;

    private @Nullable Receipt receipt;

    OutEntry(
            StreamRecord record,
            @Nullable Receipt receipt,
            boolean once,
            boolean lenient,
            boolean again) {
        this.record = record;
        this.bytes = record.bytes();
        this.receipt = receipt;
        this.once = once;
        this.lenient = lenient;
        this.again = again;
    }

    @Nullable Receipt receipt() {
        return receipt;
    }

    /** Nobody waits for it by a receipt any more. */
    void release() {
        Receipt waiting = receipt;
        receipt = null;
        Receipt.done(waiting);
    }

    /**
     * Whether it is a message of QoS 1 or 2 that somebody there was to get, and is not answered.
     */
    boolean isOpenMessage() {
        return !done
                && !once
                && !lenient
                && switch (record) {
                    case StreamRecord.Publish any -> true;
                    case StreamRecord.GroupPublish any -> true;
                    case StreamRecord.PassedOn any -> true;
                    case StreamRecord.RetainedPublish any -> true;
                    case StreamRecord.Redirected any -> true;
                    default -> false;
                };
    }

    /** The message in it for durable sessions of slots at the node; null when there is none. */
    @Nullable UnansweredMessage forSessions(BitSet slots) {
        if (done || once || lenient || forTransient) {
            return null;
        }
        return switch (record) {
            case StreamRecord.Publish some -> forSessions(some.message(), slots);
            case StreamRecord.RetainedPublish some -> forSessions(some.message(), slots);
            case StreamRecord.GroupPublish some when some.sessions() ->
                    forSessions(some.message(), slots);
            case StreamRecord.Redirected some -> {
                BitSet both = (BitSet) slots.clone();
                both.and(some.slots());
                yield forSessions(some.message(), both);
            }
            default -> null;
        };
    }

    private UnansweredMessage forSessions(Message message, BitSet slots) {
        return new UnansweredMessage(message, slots, receipt, again, held);
    }

    /** Whether it is a message that no shared group of the node is to have. */
    boolean isForSessionsAlone() {
        return switch (record) {
            case StreamRecord.Publish any -> true;
            case StreamRecord.Redirected any -> true;
            case StreamRecord.RetainedPublish some -> some.groups().length == 0;
            default -> false;
        };
    }

    /** Whether shared groups of the node are to have a message in it. */
    boolean isForGroups() {
        return switch (record) {
            case StreamRecord.GroupPublish any -> true;
            case StreamRecord.PassedOn any -> true;
            case StreamRecord.RetainedPublish some -> some.groups().length > 0;
            default -> false;
        };
    }

    /**
     * It will not be sent: what another node can have as well goes back to whoever has it.
     *
     * @param hasLeft the node may have it
     * @return false when there is nobody to give it to
     */
    boolean giveBack(boolean hasLeft) {
        Receipt giver = receipt;
        boolean mayGo =
                record instanceof StreamRecord.PassedOn some
                        && mayGoElsewhere(some.message(), hasLeft);
        if (giver == null || !giver.canGoElsewhere() || !mayGo) {
            return false;
        }
        receipt = null;
        giver.targetDone(false);
        return true;
    }

    /** Whether other members may get a message: one that the node may have only at QoS 1. */
    private static boolean mayGoElsewhere(Message message, boolean hasLeft) {
        return !hasLeft || message.qos == 1;
    }

    /**
     * Gives a message for shared groups to other members of these.
     *
     * @param hasLeft the node may have it: one of QoS 0 or 2 is for nobody else then
     * @return whether nobody misses it
     */
    boolean give(boolean hasLeft, OtherMembers others) {
        return switch (record) {
            case StreamRecord.PassedOn some when mayGoElsewhere(some.message(), hasLeft) -> {
                others.give(some.message(), new TopicFilter[] {some.group()}, receipt);
                yield true;
            }
            case StreamRecord.GroupPublish some when mayGoElsewhere(some.message(), hasLeft) -> {
                others.give(some.message(), some.groups(), receipt);
                yield !some.sessions();
            }
            default -> false;
        };
    }

    /**
     * Gives a message for shared groups to other members of these, unless it is of QoS 0 or 2 and
     * the node may have it.
     *
     * @return one of QoS 2 that was not given
     */
    @Nullable UnansweredForGroups giveToGroups(boolean hasLeft, OtherMembers others) {
        return switch (record) {
            case StreamRecord.PassedOn some ->
                    give(some.message(), new TopicFilter[] {some.group()}, hasLeft, others);
            case StreamRecord.GroupPublish some ->
                    give(some.message(), some.groups(), hasLeft, others);
            case StreamRecord.RetainedPublish some ->
                    give(some.message(), some.groups(), hasLeft, others);
            default -> null;
        };
    }

    private @Nullable UnansweredForGroups give(
            Message message, TopicFilter[] groups, boolean hasLeft, OtherMembers others) {
        Receipt waiting = receipt;
        if (mayGoElsewhere(message, hasLeft)) {
            others.give(message, groups, waiting);
            return null;
        }
        // Of one of QoS 2 that nobody waits for it is not known whether it is over.
        return message.qos < 2 || waiting == null
                ? null
                : new UnansweredForGroups(message, groups, waiting);
    }

    /**
     * A group of the node does not have the message any more: it is for other members, or one of
     * QoS 2 for the node that has taken the group's queue over.
     *
     * @param hasLeft the node may have it
     * @param taker server id of that node
     * @return whether nobody else at the node is to have it
     */
    boolean giveBack(TopicFilter group, boolean hasLeft, int taker, OtherMembers others) {
        StreamRecord without = done ? null : without(group);
        Message message = messageForGroups();
        if (without == null || message == null) {
            return false; // It went elsewhere when nothing was heard of the node.
        }
        record = without;
        UnansweredForGroups left = give(message, new TopicFilter[] {group}, hasLeft, others);
        if (left != null) {
            others.giveTo(taker, left);
        }
        return without == GONE;
    }

    /** Does so for all groups. */
    boolean giveAllBack(boolean hasLeft, int taker, OtherMembers others) {
        boolean isForNobody = false;
        for (TopicFilter each : groups()) {
            isForNobody = giveBack(each, hasLeft, taker, others);
        }
        return isForNobody;
    }

    private TopicFilter[] groups() {
        return switch (record) {
            case StreamRecord.PassedOn some -> new TopicFilter[] {some.group()};
            case StreamRecord.GroupPublish some -> some.groups();
            case StreamRecord.RetainedPublish some -> some.groups();
            default -> GroupTargets.NO_FILTERS;
        };
    }

    private @Nullable Message messageForGroups() {
        return switch (record) {
            case StreamRecord.PassedOn some -> some.message();
            case StreamRecord.GroupPublish some -> some.message();
            case StreamRecord.RetainedPublish some -> some.message();
            default -> null;
        };
    }

    /** The record without a group; null when it is not for that one. */
    private @Nullable StreamRecord without(TopicFilter group) {
        return switch (record) {
            case StreamRecord.PassedOn some when some.group().equals(group) -> GONE;
            case StreamRecord.GroupPublish some when isAmong(some.groups(), group) -> {
                TopicFilter[] others = others(some.groups(), group);
                yield others.length == 0 && !some.sessions()
                        ? GONE
                        : new StreamRecord.GroupPublish(some.message(), some.sessions(), others);
            }
            case StreamRecord.RetainedPublish some when isAmong(some.groups(), group) ->
                    new StreamRecord.RetainedPublish(
                            some.message(), some.stamp(), others(some.groups(), group));
            default -> null;
        };
    }

    private static boolean isAmong(TopicFilter[] groups, TopicFilter group) {
        return Arrays.asList(groups).contains(group);
    }

    private static TopicFilter[] others(TopicFilter[] groups, TopicFilter group) {
        return Arrays.stream(groups)
                .filter(each -> !each.equals(group))
                .toArray(TopicFilter[]::new);
    }

    /**
     * Gives a message for shared groups away, whether the node may have it or not: it is lost.
     *
     * @return whether nobody misses it
     */
    boolean giveAway(OtherMembers others) {
        Receipt giver = receipt;
        if (record instanceof StreamRecord.PassedOn && giver != null && giver.canGoElsewhere()) {
            receipt = null;
            giver.targetDone(false);
            return true;
        }
        boolean isForSessions =
                record instanceof StreamRecord.GroupPublish some && some.sessions()
                        || record instanceof StreamRecord.RetainedPublish;
        return isForGroups() && giveToGroups(false, others) == null && !isForSessions;
    }

    /** It was answered, or is not to be sent: it stays for its place alone. */
    void end(ReasonCode reason) {
        done = true;
        record = GONE;
        if (reason.isError() && receipt != null) {
            receipt.reason = reason;
        }
        release();
    }
}
