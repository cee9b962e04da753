package io.godwit.cluster.replication;

import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;

/**
 * Counts the members that decide who leads a copy set and who has whole copies of it: all that
 * belong to the cluster, but for those that are known to have ended. A follower takes over with
 * more than half of them; a leader does without a whole follower unless more than half of them may
 * decide otherwise. So never both.
 *
 * <p>A node that has ended counts no more only if its connection was closed while it was heard, and
 * that it has ended was known soon after. One that ran on without being heard may have changed its
 * followers, or may have taken over. One that is heard again has told of that only after a moment.
 * Others may take over while this node does not run, if they are more than half without it: who
 * ends in that time, and was not heard since, counts on. And one that has ended counts on when it
 * is decided who takes over from a leader that it heard longer than this node: the leader may have
 * given up followers, and that node have agreed.
 *
 * <p>A node that joins or starts is <em>anew</em>: it knows nothing of what others have decided
 * while it did not count. Only when it has heard so many of those that count for a moment that the
 * rest can't have decided without them does it count for leaders, and tells so. That holds for a
 * leader itself: when several nodes have started, one that is not heard may have gone on alone. Who
 * takes over counts all members, but of those that are live the ones alone that have heard the
 * leader.
 *
 * <p>On the shard that owns the topic index.
 */
final class CopyQuorum {
    /**
     * Shorter than the times after which a leader gives a follower up that runs, and a follower
     * takes over from a leader whose connection was closed and that runs, perhaps.
     */
    static final long ENDED_WITHIN_MS = 4_000;

    private final int self;
    private final Map<Integer, PeerLink> links = new TreeMap<>();

    /** Since when each node has been heard all the time, while this node ran. */
    private final Map<Integer, Long> heardSinceMs = new TreeMap<>();

    /** When each node was heard last, of those that had told what they did unheard. */
    private final Map<Integer, Long> heardMs = new TreeMap<>();

    /** Holds when this node noted that others had ended. */
    private final Map<Integer, Long> endedMs = new TreeMap<>();

    private Set<Integer> members = Set.of();

    /** Holds the start of each node that was heard last. */
    private final Map<Integer, NodeStart> starts = new TreeMap<>();

    /** Holds nodes that have joined or started, and have not said since that they count. */
    private final Set<Integer> anew = new TreeSet<>();

    /** Whether others may have decided without this start. */
    private boolean isAnew = true;

    private IntPredicate hasEnded = server -> false;
    private long tickedMs = Long.MIN_VALUE;

    /**
     * @param self server id of this node
     */
    CopyQuorum(int self) {
        this.self = self;
    }

    /**
     * Takes who knows which nodes have ended.
     *
     * @param known by server id
     */
    void attach(IntPredicate known) {
        hasEnded = known;
    }

    /** Takes the server ids of all nodes that belong to the cluster. */
    void members(Set<Integer> now) {
        members = Set.copyOf(now);
        anew.retainAll(now);
    }

    /** Whether some of these nodes belong to the cluster. */
    boolean hasMember(List<Integer> servers) {
        return servers.stream().anyMatch(members::contains);
    }

    void onUp(PeerLink link) {
        links.put(link.peer().server(), link);
        endedMs.remove(link.peer().server());
        heardSinceMs.remove(link.peer().server());
        if (!link.peer().equals(starts.put(link.peer().server(), link.peer()))) {
            anew.add(link.peer().server());
        }
        if (!isAnew) {
            link.offer(new CopyMessages.Counts());
        }
    }

    /** A member says that its start knows what was decided before. */
    void onCounts(PeerLink from) {
        if (links.get(from.peer().server()) == from) {
            anew.remove(from.peer().server());
        }
    }

    void onDown(PeerLink link) {
        links.remove(link.peer().server(), link);
    }

    /**
     * Looks who has ended.
     *
     * @param nowMs monotonic
     */
    void tick(long nowMs) {
        if (tickedMs != Long.MIN_VALUE && nowMs - tickedMs >= SuccessionTimes.PAUSE_MS) {
            heardSinceMs.clear(); // Links may have ended meanwhile.
            if (isOutvoted(server -> false)) {
                heardMs.clear();
            }
        }
        tickedMs = nowMs;
        for (int each : members) {
            if (hears(each)) {
                endedMs.remove(each);
                heardSinceMs.putIfAbsent(each, nowMs);
                if (isSteady(each, nowMs)) {
                    heardMs.put(each, nowMs);
                }
                continue;
            }
            heardSinceMs.remove(each);
            if (isSilent(each)) {
                heardMs.remove(each);
            }
            if (!hasEnded.test(each)) {
                endedMs.remove(each);
            } else if (nowMs - heardMs.getOrDefault(each, Long.MIN_VALUE / 2) <= ENDED_WITHIN_MS) {
                endedMs.putIfAbsent(each, nowMs);
            }
        }
        IntPredicate areSteady = each -> isSteady(each, nowMs);
        if (isAnew && !isOutvoted(areSteady, areSteady)) {
            isAnew = false;
            links.values().forEach(each -> each.offer(new CopyMessages.Counts()));
        }
    }

    /** Whether a node has been heard for so long that it has told what it did unheard. */
    private boolean isSteady(int server, long nowMs) {
        Long since = heardSinceMs.get(server);
        return since != null && nowMs - since >= SuccessionTimes.PAUSE_MS;
    }

    /** Whether a node is heard now. */
    boolean hears(int server) {
        PeerLink link = links.get(server);
        return link != null && link.state() == LinkState.UP;
    }

    /** Whether a node is not heard, though its connection is open. */
    private boolean isSilent(int server) {
        PeerLink link = links.get(server);
        return link != null && link.state() == LinkState.SILENT;
    }

    /** Whether a node counts no more, because it is known to have ended. */
    boolean hasEnded(int server) {
        return endedMs.containsKey(server);
    }

    /**
     * Whether a node is known to have ended, and all others are heard: they will know whatever is
     * decided without it.
     */
    boolean isAloneInItsEnd(int server) {
        boolean areOthersHeard =
                members.stream().allMatch(each -> each == self || each == server || hears(each));
        return hasEnded.test(server) && areOthersHeard;
    }

    /**
     * Whether a node may have agreed, before it ended, to what a leader has decided unheard by this
     * one: when it ended, the leader had not been heard for so long that it may have given up
     * followers.
     */
    private boolean mayHaveAgreed(int server, int leader) {
        Long at = endedMs.get(server);
        return at != null
                && server != leader
                && at - heardMs.getOrDefault(leader, Long.MIN_VALUE / 2) > ENDED_WITHIN_MS;
    }

    private int count(IntPredicate those) {
        int count = those.test(self) ? 1 : 0;
        for (int each : members) {
            count += each != self && those.test(each) ? 1 : 0;
        }
        return count;
    }

    private boolean isMoreThanHalf(IntPredicate some, IntPredicate all) {
        return 2 * count(all.and(some)) > count(all);
    }

    /**
     * Whether this node and those that are with it are more than half of the members that count
     * when it is decided who takes over from a leader.
     *
     * @param doCount which nodes do, of those that have not ended; this one too, or not
     */
    boolean mayTakeOver(int leader, IntPredicate areWith, IntPredicate doCount) {
        return isMoreThanHalf(
                server -> server == self || areWith.test(server),
                server -> hasEnded(server) ? mayHaveAgreed(server, leader) : doCount.test(server));
    }

    /**
     * Whether this node and those that are with it are more than half of the members that count.
     *
     * @param doCount which nodes do, of those that have not ended; this one too, or not
     */
    boolean isMajority(IntPredicate areWith, IntPredicate doCount) {
        return isMoreThanHalf(
                server -> server == self || areWith.test(server),
                server -> !hasEnded(server) && doCount.test(server));
    }

    /**
     * Whether those that are not with this node are more than half of the members that counted,
     * perhaps, when they decided.
     */
    boolean isOutvoted(IntPredicate areWith) {
        return isOutvoted(areWith, this::hears);
    }

    private boolean isOutvoted(IntPredicate areWith, IntPredicate areHeard) {
        IntPredicate areThereAnew =
                server -> server == self ? isAnew : anew.contains(server) && areHeard.test(server);
        return isMoreThanHalf(
                server -> server != self && !areWith.test(server),
                server -> !hasEnded(server) && !areThereAnew.test(server));
    }
}
