package io.godwit.cluster.leadership;

import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Models copies of sessions, and who takes over. Each set of a leader has one follower, which has
 * everything that was acknowledged; who that is all nodes know at once. The follower takes the set
 * over when nobody that it hears hears the leader.
 */
final class SimulatedCopies {
    private static final int SETS = 4;
    private static final long LOOK_MS = 250;

    /** How long a follower is out of reach before another one is chosen. */
    private static final long GIVE_UP_MS = 5_000;

    /** How long a leader has to be out of reach: when another node says so, too, and when none. */
    private static final long CONFIRMED_MS = 1_000;

    private static final long UNCONFIRMED_MS = 6_000;

    /** How long a link is open before the table of its other side has come for certain. */
    private static final long TABLE_MS = 500;

    private final LeadershipSimulation world;
    private final Map<Key, Copied> all = new HashMap<>();

    /** Since when a leader is heard by nobody whom a node hears. */
    private final Map<Pair, Long> unheardSinceMs = new HashMap<>();

    private record Key(int leader, int set) {}

    private record Pair(int node, int leader) {}

    private static final class Copied {
        @Nullable SimulatedNode follower;
        long awaySinceMs = -1;

        /** Whether the leader goes on without a follower, since it reaches nobody. */
        boolean isAlone;
    }

    SimulatedCopies(LeadershipSimulation world) {
        this.world = world;
    }

    void look() {
        for (SimulatedNode node : world.nodes()) {
            if (node.hasBegun() && !node.isAsleep()) {
                for (int set = 0; set < SETS; set++) {
                    follow(node, set);
                }
                world.nodes().stream()
                        .filter(leader -> leader != node)
                        .forEach(leader -> succeed(node, leader));
            }
        }
        world.later(LOOK_MS, this::look);
    }

    private Copied of(SimulatedNode leader, int set) {
        return all.computeIfAbsent(new Key(leader.server, set), any -> new Copied());
    }

    private static BitSet slots(int set) {
        BitSet slots = new BitSet();
        for (int slot = set; slot < LeadershipSimulation.SLOTS; slot += SETS) {
            slots.set(slot);
        }
        return slots;
    }

    /** Whether nothing of a slot would be lost with its leader for ever. */
    boolean isSafe(SimulatedNode leader, int slot) {
        SimulatedNode follower = of(leader, slot % SETS).follower;
        return follower != null && follower.isUp();
    }

    // ---------------------------------------------------------------- what is written

    /**
     * Writes something of a slot, if it would be acknowledged.
     *
     * @return false: it would wait for a follower
     */
    boolean write(SimulatedNode leader, SimulatedSlotUse.Session session, boolean isAdded) {
        Copied copied = of(leader, session.slot % SETS);
        SimulatedNode follower = copied.follower;
        if (copied.isAlone) {
            return true;
        }
        if (follower == null || !mayFollow(leader, follower, session.slot % SETS)) {
            return false;
        }
        follower.use.copies.removeIf(each -> each.id == session.id);
        if (isAdded) {
            follower.use.copies.add(session.copy(leader.server));
        }
        return true;
    }

    private static boolean reaches(SimulatedNode one, SimulatedNode other) {
        return one.hears(other.server) && other.hears(one.server) && !other.isAsleep();
    }

    /** A node takes nothing of a leader that does not know what this node knows of its slots. */
    private static boolean mayFollow(SimulatedNode leader, SimulatedNode follower, int set) {
        if (!reaches(leader, follower) || !follower.hasBegun()) {
            return false;
        }
        return slots(set).stream()
                .allMatch(slot -> {
                    Epoch there = follower.leadership().leaders().epoch(slot);
                    Epoch here = leader.leadership().leaders().epoch(slot);
                    boolean isKnown = there == null || here != null && there.compareTo(here) <= 0;
                    boolean isOlder = follower.leadership().leaders().older().get(slot);
                    return isKnown && !isOlder && !follower.use.loading.get(slot);
                });
    }

    // ---------------------------------------------------------------- who follows

    private void follow(SimulatedNode leader, int set) {
        Copied copied = of(leader, set);
        SimulatedNode present = copied.follower;
        if (slots(set).intersects(leader.use.loading)) {
            return;
        }
        if (present != null && mayFollow(leader, present, set)) {
            copied.awaySinceMs = -1;
            if (copied.isAlone) {
                fill(leader, present, set, copied);
            }
            return;
        }
        if (copied.awaySinceMs < 0) {
            copied.awaySinceMs = world.nowMs();
        }
        boolean isGivenUp = world.nowMs() - copied.awaySinceMs >= GIVE_UP_MS;
        if (present != null && !isGivenUp) {
            return;
        }
        List<SimulatedNode> others =
                world.nodes().stream().filter(each -> each != leader && each != present).toList();
        for (SimulatedNode other : others) {
            if (mayFollow(leader, other, set)) {
                if (world.chance(30)) {
                    fill(leader, other, set, copied);
                }
                return;
            }
        }
        copied.isAlone |= isGivenUp && others.stream().noneMatch(each -> reaches(leader, each));
    }

    private static void fill(SimulatedNode leader, SimulatedNode follower, int set, Copied copied) {
        BitSet slots = slots(set);
        List<SimulatedSlotUse.Session> copies = follower.use.copies;
        copies.removeIf(each -> each.leader == leader.server && slots.get(each.slot));
        for (SimulatedSlotUse.Session each : leader.use.sessions) {
            Epoch epoch = leader.leadership().leaders().epoch(each.slot);
            boolean isLed = epoch != null && epoch.server() == leader.server;
            if (!each.isAside && isLed && slots.get(each.slot)) {
                copies.add(each.copy(leader.server));
            }
        }
        copied.follower = follower;
        copied.isAlone = false;
        copied.awaySinceMs = -1;
    }

    // ---------------------------------------------------------------- who takes over

    private void succeed(SimulatedNode node, SimulatedNode leader) {
        Pair pair = new Pair(node.server, leader.server);
        List<SimulatedNode> heard =
                world.nodes().stream().filter(each -> reaches(node, each)).toList();
        boolean isHeard =
                node.hears(leader.server)
                        || heard.stream().anyMatch(each -> each.hears(leader.server));
        if (isHeard) {
            unheardSinceMs.remove(pair);
            return;
        }
        Long since = unheardSinceMs.putIfAbsent(pair, world.nowMs());
        long waitMs = heard.isEmpty() ? UNCONFIRMED_MS : CONFIRMED_MS;
        if (since == null || world.nowMs() - since < waitMs || !node.areLinksOpenFor(TABLE_MS)) {
            return;
        }
        for (int set = 0; set < SETS; set++) {
            BitSet led = new BitSet();
            slots(set).stream()
                    .filter(slot -> {
                        Epoch epoch = node.leadership().leaders().epoch(slot);
                        return epoch != null && epoch.server() == leader.server;
                    })
                    .forEach(led::set);
            if (node == of(leader, set).follower && !led.isEmpty()) {
                of(node, set).follower = null; // Its follower lacks what it takes over now.
                of(node, set).isAlone = false;
                of(node, set).awaySinceMs = -1;
                world.onTakeOver(node, leader, led);
                Objects.requireNonNull(node.leadership()).takeOver(leader.server, led);
            }
        }
    }
}
