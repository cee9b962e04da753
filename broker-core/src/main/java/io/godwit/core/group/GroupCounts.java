package io.godwit.core.group;

import io.godwit.core.routing.GroupState;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How many members of a shared group are what, without asking each of them. */
final class GroupCounts {
    /** Members that did not unsubscribe. */
    int subscribed;

    int online;

    /** Online and with credit. */
    int ready;

    /** How many of those online limit the size of packets, by the largest that they take. */
    private @Nullable TreeMap<Integer, Integer> limits;

    private int limited;

    /** The state while all of them do. */
    private GroupState ofLimited = GroupState.ONLINE;

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
        int limit = isOnline ? member.publishBytesMax() : Integer.MAX_VALUE;
        if (limit != member.countedLimit) {
            countLimit(member.countedLimit, -1);
            countLimit(limit, 1);
            member.countedLimit = limit;
        }
    }

    private void countLimit(int bytes, int change) {
        if (bytes == Integer.MAX_VALUE) {
            return;
        }
        TreeMap<Integer, Integer> all = limits;
        if (all == null) {
            all = new TreeMap<>();
            limits = all;
        }
        if (all.merge(bytes, change, Integer::sum) == 0) {
            all.remove(bytes);
        }
        limited += change;
    }

    /** Whether clients of members that are online limit the size of packets. */
    boolean areLimited() {
        return limited > 0;
    }

    /** What other nodes are told. */
    GroupState state() {
        if (online > 0) {
            return limited == online ? limitedState() : GroupState.ONLINE;
        }
        return keeping > 0 ? GroupState.WAITING : GroupState.NONE;
    }

    private GroupState limitedState() {
        int largest = Objects.requireNonNull(limits).lastKey();
        if (ofLimited.packetBytesMax() != largest) {
            ofLimited = GroupState.online(largest);
        }
        return ofLimited;
    }

    private static int difference(boolean before, boolean after) {
        return (after ? 1 : 0) - (before ? 1 : 0);
    }
}
