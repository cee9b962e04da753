package io.godwit.cluster.leadership;

import io.godwit.cluster.membership.Member;
import io.godwit.cluster.membership.Nodes;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the operator when slots become offline, when they are led again, and what is set aside. */
final class OfflineLog {
    private static final Logger LOG = LoggerFactory.getLogger(OfflineLog.class);
    private static final int NOBODY = -1;

    /** By slot: the leader that was out of reach when it became offline. */
    private final int[] lostWith;

    private final Map<Integer, String> names = new HashMap<>();
    private @Nullable Nodes seen;
    private @Nullable SlotLeaders seenLeaders;

    /**
     * @param before whom the slots were led by
     * @param by who leads them now
     * @param isTaken whether that one took them over from the former leader
     */
    private record Again(int before, int by, boolean isTaken) {}

    OfflineLog(int slots) {
        lostWith = new int[slots];
        Arrays.fill(lostWith, NOBODY);
    }

    /** Logs what has changed since the last call. */
    @SuppressWarnings("ReferenceEquality") // Each change makes others.
    void look(Nodes nodes, SlotLeaders leaders) {
        if (nodes == seen && leaders == seenLeaders) {
            return;
        }
        seen = nodes;
        seenLeaders = leaders;
        for (Member each : nodes.members()) {
            names.put(each.server(), each.name());
        }
        Map<Integer, Integer> lost = new TreeMap<>();
        Map<Again, Integer> found = new HashMap<>();
        for (int slot = 0; slot < lostWith.length; slot++) {
            Epoch epoch = leaders.epoch(slot);
            boolean isLed = leaders.leader(slot) != null;
            if (epoch == null) {
                continue;
            }
            if (lostWith[slot] != NOBODY && isLed) {
                boolean isTaken = epoch.from() == lostWith[slot];
                found.merge(new Again(lostWith[slot], epoch.server(), isTaken), 1, Integer::sum);
                lostWith[slot] = NOBODY;
            } else if (lostWith[slot] == NOBODY && !isLed && !nodes.isLive(epoch.server())) {
                lost.merge(epoch.server(), 1, Integer::sum);
                lostWith[slot] = epoch.server();
            }
        }
        lost.forEach((server, slots) ->
                LOG.warn(
                        "{} slots are offline: node {}, which leads them, is out of reach",
                        slots,
                        name(server)));
        found.forEach((again, slots) ->
                LOG.info(
                        "{} slots that were offline are led again, by node {}: {}",
                        slots,
                        name(again.by()),
                        cause(nodes, again)));
    }

    private String cause(Nodes nodes, Again again) {
        if (again.before() == again.by()) {
            return "it is back";
        }
        if (again.isTaken()) {
            return "it has taken them over from node " + name(again.before());
        }
        return nodes.forgotten().servers().contains(again.before())
                ? "node " + name(again.before()) + " was forgotten"
                : "node " + name(again.before()) + " no longer leads them";
    }

    /** Logs that sessions of this node were set aside. */
    void onAside(long sessions, Epoch epoch) {
        if (sessions > 0) {
            LOG.warn(
                    "{} sessions are set aside, with their messages: node {} has sessions of the"
                            + " same slots, and leads these",
                    sessions,
                    name(epoch.server()));
        }
    }

    /**
     * Logs that this node does not serve sessions any more, since their slots were taken over.
     *
     * @param leader server id of the node whose copies they are; 0: they are set aside
     */
    void onOlderLeft(long sessions, int leader) {
        if (sessions > 0 && leader == 0) {
            LOG.warn(
                    "{} sessions are set aside, with their messages: another node had taken over"
                            + " their slots, and is forgotten",
                    sessions);
        } else if (sessions > 0) {
            LOG.info(
                    "{} sessions are copies from now on: node {} has taken over their slots",
                    sessions,
                    name(leader));
        }
    }

    private String name(int server) {
        return names.getOrDefault(server, "with server id " + server);
    }
}
