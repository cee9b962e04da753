package io.godwit.cluster.leadership;

import io.godwit.cluster.transport.NodeStart;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The way between two nodes: links open by themselves while it is not cut. */
final class SimulatedPair {
    final SimulatedNode one;
    final SimulatedNode other;
    boolean isCut;

    private final LeadershipSimulation world;
    private @Nullable Link link;

    /** A link between two incarnations; messages arrive in order, or not at all. */
    final class Link {
        private final NodeStart first = one.start();
        private final NodeStart second = other.start();
        private long toFirstMs;
        private long toSecondMs;
        private long silentUntilMs;
        private boolean isEnded;
        final long openedMs = world.nowMs();

        boolean isSilent() {
            return world.nowMs() < silentUntilMs;
        }

        NodeStart peerOf(int server) {
            return server == first.server() ? second : first;
        }

        private boolean isOf(SimulatedNode node) {
            return node.isUp() && (node.start().equals(first) || node.start().equals(second));
        }

        void send(SimulatedNode from, Consumer<SimulatedNode> what) {
            boolean isToSecond = from == one;
            SimulatedNode to = isToSecond ? other : one;
            long least = Math.max(isToSecond ? toSecondMs : toFirstMs, silentUntilMs);
            long arrivesMs = Math.max(least, world.nowMs() + 1 + world.random(30));
            if (isToSecond) {
                toSecondMs = arrivesMs;
            } else {
                toFirstMs = arrivesMs;
            }
            world.later(
                    arrivesMs - world.nowMs(),
                    () ->
                            to.awake(() -> {
                                if (!isEnded && to.links.get(from.server) == this) {
                                    what.accept(to);
                                }
                            }));
        }
    }

    SimulatedPair(LeadershipSimulation world, SimulatedNode one, SimulatedNode other) {
        this.world = world;
        this.one = one;
        this.other = other;
    }

    boolean has(SimulatedNode node) {
        return one == node || other == node;
    }

    /** When the present link was opened; -1: there is none. */
    long openedMs() {
        Link present = link;
        return present == null || present.isEnded ? -1 : present.openedMs;
    }

    /** To be called again and again. */
    void look() {
        Link present = link;
        if (present != null && (isCut || !present.isOf(one) || !present.isOf(other))) {
            present.isEnded = true;
            link = null;
            notice(one, present);
            notice(other, present);
        }
        boolean isOver =
                !one.links.containsKey(other.server) && !other.links.containsKey(one.server);
        boolean isFree = !isCut && one.isUp() && other.isUp() && isOver;
        if (link == null && isFree && !one.isAsleep() && !other.isAsleep() && world.chance(30)) {
            open();
        }
    }

    private void notice(SimulatedNode node, Link ended) {
        if (ended.isOf(node)) {
            node.later(world.random(3_000), () -> node.onDown(ended));
        }
    }

    private void open() {
        Link opened = new Link();
        link = opened;
        boolean isOneFirst = world.chance(50);
        SimulatedNode first = isOneFirst ? one : other;
        SimulatedNode second = isOneFirst ? other : one;
        long behindMs = world.random(30);
        opened.toFirstMs = world.nowMs() + behindMs + 1;
        opened.toSecondMs = opened.toFirstMs;
        world.tell("link " + opened.first + " - " + opened.second);
        first.onUp(opened);
        second.later(
                behindMs,
                () -> {
                    if (!opened.isEnded) {
                        second.onUp(opened);
                    }
                });
    }

    /** Whether both sides have heard each other without a break for so long. */
    boolean isHeardFor(long ms) {
        Link present = link;
        return present != null
                && !present.isEnded
                && one.links.get(other.server) == present
                && other.links.get(one.server) == present
                && one.isAwakeFor(ms)
                && other.isAwakeFor(ms)
                && world.nowMs() - Math.max(present.openedMs, present.silentUntilMs) >= ms;
    }

    /** Nothing passes for a while, and then all of it does. */
    void hush(long forMs) {
        Link present = link;
        if (present != null
                && one.links.get(other.server) == present
                && other.links.get(one.server) == present) {
            world.tell("silence " + present.first + " - " + present.second);
            present.silentUntilMs = Math.max(present.silentUntilMs, world.nowMs() + forMs);
            tellSilence(present);
            world.later(forMs, () -> tellSilence(present));
        }
    }

    private void tellSilence(Link of) {
        if (one.links.get(other.server) == of) {
            one.onSilence();
        }
        if (other.links.get(one.server) == of) {
            other.onSilence();
        }
    }
}
