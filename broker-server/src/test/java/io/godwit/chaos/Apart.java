package io.godwit.chaos;

import java.util.HashMap;
import java.util.Map;

/**
 * Nodes that may not know what was subscribed at others: a link between them was cut, and a {@link
 * Probe} has not shown yet that they do. A SUBACK waits for the nodes that are heard
 * (docs/cluster.md), so what it was seen for before the cut they know.
 */
final class Apart {
    /** Nodes, the first is 0. */
    private record Pair(int subscriber, int publisher) {}

    /** When the first of the cuts began. */
    private final Map<Pair, Integer> since = new HashMap<>();

    /** Perhaps one of them does not hear the other one from now on. */
    void begin(int subscriber, int publisher, int tick) {
        since.putIfAbsent(new Pair(subscriber, publisher), tick);
    }

    /** What is subscribed at the one the other knows. */
    void end(int subscriber, int publisher) {
        since.remove(new Pair(subscriber, publisher));
    }

    /** Whether there are any. */
    boolean isSome() {
        return !since.isEmpty();
    }

    /**
     * Whether what is sent now by a client of one node may stay away from a session of another one.
     *
     * @param subscriber which node serves the session, or {@link Leaders#UNKNOWN}
     * @param publisher which node serves the publisher, or {@link Leaders#UNKNOWN}
     * @param answeredTick when SUBACK was seen
     */
    boolean mayNotKnow(int subscriber, int publisher, int answeredTick) {
        for (Map.Entry<Pair, Integer> each : since.entrySet()) {
            Pair pair = each.getKey();
            boolean isTheirs =
                    (subscriber == Leaders.UNKNOWN || subscriber == pair.subscriber)
                            && (publisher == Leaders.UNKNOWN || publisher == pair.publisher);
            if (isTheirs && answeredTick > each.getValue()) {
                return true;
            }
        }
        return false;
    }
}
