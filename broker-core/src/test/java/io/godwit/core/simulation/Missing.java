package io.godwit.core.simulation;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Messages that were acknowledged and did not come. Each is lost, unless its queue was full, its
 * expiry interval has passed, or it is too large for a client: then the broker has counted it.
 */
final class Missing {
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

    void add(SimulatedNode node, Published of, String to) {
        check(mayBe(node, of), "LOST: %s for %s", of, to);
        all.merge(node, 1L, Long::sum);
        if (!of.isExpired(node.scheduler().micros()) && !isLarge(node, of)) {
            inTime.merge(node, 1L, Long::sum);
        }
    }

    /** Not more are missing than were counted, for one cause or the other. */
    void check() {
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
