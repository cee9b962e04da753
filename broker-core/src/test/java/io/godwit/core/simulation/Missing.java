package io.godwit.core.simulation;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Messages that were acknowledged and did not come. Each is lost, unless its queue was full, its
 * expiry interval has passed, or it is too large for a client: then the broker has counted it.
 */
final class Missing {
    /**
     * What subscribers at one node miss of one message: the broker counts it once.
     *
     * @param to the node, or a shared group
     */
    private record CutOff(int message, Object to) {}

    /** By node at which they were published: for transient sessions of other nodes. */
    private final Map<SimulatedNode, Set<CutOff>> cutOff = new LinkedHashMap<>();

    private final Map<SimulatedNode, Long> all = new LinkedHashMap<>();

    /** Those whose interval has not passed. */
    private final Map<SimulatedNode, Long> inTime = new LinkedHashMap<>();

    /** Whether it may be missing there. */
    static boolean mayBe(SimulatedNode node, Published of) {
        return node.shortage().isLimited()
                || of.isExpired(node.scheduler().micros())
                || isLarge(node, of);
    }

    /** Whether it is too large for some clients of a node. */
    private static boolean isLarge(SimulatedNode node, Published of) {
        return node.shortage().smallPackets() && of.packetBytes() > Shortage.PACKET_BYTES;
    }

    /** A session misses a message. */
    void add(SessionView view, Published of) {
        if (!view.durable && !view.node.equals(of.node) && !mayBe(view.node, of)) {
            cutOff(of, view.node);
        } else {
            add(view.node, of, view.toString());
        }
    }

    /** A shared group misses a message that may have been at a node with transient members. */
    void addCutOff(Published of, String group) {
        if (mayBe(of.node, of)) {
            add(of.node, of, group);
        } else {
            cutOff(of, group);
        }
    }

    private void cutOff(Published of, Object to) {
        cutOff.computeIfAbsent(of.node, any -> new HashSet<>()).add(new CutOff(of.number, to));
    }

    void add(SimulatedNode node, Published of, String to) {
        check(mayBe(node, of), "LOST: %s for %s", of, to);
        all.merge(node, 1L, Long::sum);
        if (!of.isExpired(node.scheduler().micros()) && !isLarge(node, of)) {
            inTime.merge(node, 1L, Long::sum);
        }
    }

    /** Not more are missing than were counted, for one cause or the other. */
    void check() {
        cutOff.forEach((node, some) ->
                check(
                        some.size() <= node.counts().cutOff(),
                        "LOST: %s for transient subscribers of other nodes, but only %s were"
                                + " dropped: %s",
                        some.size(),
                        node.counts().cutOff(),
                        some));
        all.forEach((node, count) ->
                check(
                        count
                                <= node.counts().full()
                                        + node.counts().expired()
                                        + node.counts().tooLarge(),
                        "LOST: %s messages, but only %s were discarded, %s have expired, and %s"
                                + " were too large",
                        count,
                        node.counts().full(),
                        node.counts().expired(),
                        node.counts().tooLarge()));
        inTime.forEach((node, count) ->
                check(
                        count <= node.counts().full(),
                        "LOST: %s messages, but only %s were discarded",
                        count,
                        node.counts().full()));
    }

    private static void check(boolean holds, String message, Object... of) {
        if (!holds) {
            throw new IllegalStateException(String.format(message, of));
        }
    }
}
