package io.godwit.chaos;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Nodes that may not know what was subscribed at others: a link between them was cut, and a {@link
 * Probe} has not shown yet that they do. A SUBACK waits for the nodes that are heard
 * (docs/cluster.md), so what it was seen for before the cut they know.
 */
final class Apart {
    /** Nodes, the first is 0. */
    private record Pair(int subscriber, int publisher) {
        boolean mayBe(Set<Integer> subscribers, Set<Integer> publishers) {
            return (subscribers.isEmpty() || subscribers.contains(subscriber))
                    && (publishers.isEmpty() || publishers.contains(publisher));
        }
    }

    /**
     * The nodes that are apart at one moment.
     *
     * @param since when the first of the cuts between two nodes began
     */
    record Cuts(Map<Pair, Integer> since) {
        Cuts {
            since = Map.copyOf(since);
        }

        /** Whether there are some that began before a SUBACK was seen. */
        boolean areSomeBefore(int answeredTick) {
            return mayNotKnow(Set.of(), Set.of(), answeredTick);
        }

        /**
         * Whether what is sent by a client of one node may stay away from a session of another one.
         *
         * @param subscriber nodes that may serve the session; empty: any
         * @param publisher nodes that may serve the publisher; empty: any
         * @param answeredTick when SUBACK was seen
         */
        boolean mayNotKnow(Set<Integer> subscriber, Set<Integer> publisher, int answeredTick) {
            return since.entrySet().stream()
                    .anyMatch(each ->
                            answeredTick > each.getValue()
                                    && each.getKey().mayBe(subscriber, publisher));
        }
    }

    private Cuts cuts = new Cuts(Map.of());

    /** Perhaps one of them does not hear the other one from now on. */
    void begin(int subscriber, int publisher, int tick) {
        Map<Pair, Integer> since = new HashMap<>(cuts.since);
        since.putIfAbsent(new Pair(subscriber, publisher), tick);
        cuts = new Cuts(since);
    }

    /** What is subscribed at the one the other knows. */
    void end(int subscriber, int publisher) {
        Map<Pair, Integer> since = new HashMap<>(cuts.since);
        since.remove(new Pair(subscriber, publisher));
        cuts = new Cuts(since);
    }

    /** Whether there are any. */
    boolean isSome() {
        return !cuts.since.isEmpty();
    }

    /** Returns those of now. */
    Cuts now() {
        return cuts;
    }
}
