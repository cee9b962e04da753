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
     * Whether what is sent now at one node may stay away from a session at another one.
     *
     * @param answeredTick when SUBACK was seen
     */
    boolean mayNotKnow(int subscriber, int publisher, int answeredTick) {
        Integer began = isSome() ? since.get(new Pair(subscriber, publisher)) : null;
        return began != null && answeredTick > began;
    }
}
