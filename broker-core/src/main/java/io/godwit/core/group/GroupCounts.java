package io.godwit.core.group;

import io.godwit.core.routing.GroupState;

/** How many members of a shared group are what, without asking each of them. */
final class GroupCounts {
    /** Members that did not unsubscribe. */
    int subscribed;

    int online;

    /** Online and with credit. */
    int ready;

    /** Online, and their clients limit the size of packets. */
    int limited;

    int durable;

    /** Durable and granted more than QoS 0: a message is kept for it while it is offline. */
    int keeping;

    /** Brings them up to date with a member that changed. */
    void settle(GroupMember member) {
        boolean counts = !member.leaving;
        boolean isOnline = counts && member.online;
        boolean isReady = member.isReady(true);
        boolean isDurable = counts && member.session().isAwaited();
        boolean isKeeping = isDurable && member.subscription.qos > 0;
        subscribed += difference(member.countedSubscribed, counts);
        online += difference(member.countedOnline, isOnline);
        ready += difference(member.countedReady, isReady);
        durable += difference(member.countedDurable, isDurable);
        keeping += difference(member.countedKeeping, isKeeping);
        member.countedSubscribed = counts;
        member.countedOnline = isOnline;
        member.countedReady = isReady;
        member.countedDurable = isDurable;
        member.countedKeeping = isKeeping;
        boolean isLimited = isOnline && member.packetBytesMax < Integer.MAX_VALUE;
        limited += difference(member.countedLimited, isLimited);
        member.countedLimited = isLimited;
    }

    /** What other nodes are told. */
    GroupState state() {
        if (online > 0) {
            return GroupState.ONLINE;
        }
        return keeping > 0 ? GroupState.WAITING : GroupState.NONE;
    }

    private static int difference(boolean before, boolean after) {
        return (after ? 1 : 0) - (before ? 1 : 0);
    }
}
