package io.godwit.cluster.leadership;

import io.godwit.cluster.membership.Member;
import io.godwit.cluster.membership.Nodes;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the operator when slots become offline, when they are led again, and what was set aside. */
final class OfflineLog {
    private static final Logger LOG = LoggerFactory.getLogger(OfflineLog.class);

    /** By server id of a leader that was out of reach: its slots that nobody leads since. */
    private final Map<Integer, BitSet> offline = new TreeMap<>();

    /** Logs what has changed since the last call. */
    void look(Nodes nodes, SlotLeaders leaders) {
        Map<Integer, BitSet> lost = new TreeMap<>();
        Map<Integer, BitSet> found = new TreeMap<>();
        for (int slot = 0; slot < leaders.size(); slot++) {
            Epoch epoch = leaders.epoch(slot);
            if (epoch == null) {
                continue;
            }
            boolean isLed = leaders.leader(slot) != null;
            Integer before = leaderBefore(slot);
            if (before != null && isLed) {
                offline.get(before).clear(slot);
                found.computeIfAbsent(epoch.server(), any -> new BitSet()).set(slot);
            } else if (before == null && !isLed && !nodes.isLive(epoch.server())) {
                lost.computeIfAbsent(epoch.server(), any -> new BitSet()).set(slot);
            }
        }
        lost.forEach((server, slots) -> {
            offline.computeIfAbsent(server, any -> new BitSet()).or(slots);
            LOG.warn(
                    "{} slots are offline: node {}, which leads them, is out of reach",
                    slots.cardinality(),
                    name(nodes, server));
        });
        found.forEach((server, slots) ->
                LOG.info(
                        "{} slots that were offline are led again, by node {}",
                        slots.cardinality(),
                        name(nodes, server)));
        offline.values().removeIf(BitSet::isEmpty);
    }

    private @Nullable Integer leaderBefore(int slot) {
        for (Map.Entry<Integer, BitSet> each : offline.entrySet()) {
            if (each.getValue().get(slot)) {
                return each.getKey();
            }
        }
        return null;
    }

    /** Logs that sessions of this node were set aside. */
    void onAside(long sessions, Nodes nodes, Epoch epoch) {
        if (sessions > 0) {
            LOG.warn(
                    "{} sessions are set aside, with their messages: node {} has sessions of the"
                            + " same slots and leads them",
                    sessions,
                    name(nodes, epoch.server()));
        }
    }

    private static String name(Nodes nodes, int server) {
        for (Member each : nodes.members()) {
            if (each.server() == server) {
                return each.name();
            }
        }
        return "with server id " + server;
    }
}
