package io.godwit.server.cluster;

import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells operators that copy sets wait for their leader, which is out of reach: enough nodes are
 * here to take them over, but too few have heard it since they started. One thread.
 */
final class UnheardLeaders {
    private static final Logger LOG = LoggerFactory.getLogger(UnheardLeaders.class);

    private final Supplier<Map<Integer, BitSet>> unheard;
    private final Supplier<Map<Integer, String>> others;
    private Map<Integer, BitSet> told = Map.of();

    /** Holds the names of leaders under which they were told: one may be forgotten since. */
    private final Map<Integer, String> names = new TreeMap<>();

    /**
     * @param unheard copy sets that wait, by the server id of their leader; not changed later
     * @param others names of the other members, by server id
     */
    UnheardLeaders(Supplier<Map<Integer, BitSet>> unheard, Supplier<Map<Integer, String>> others) {
        this.unheard = unheard;
        this.others = others;
    }

    /** Logs what has changed since the last look: one line for each leader. */
    void look() {
        Map<Integer, BitSet> now = unheard.get();
        if (now.equals(told)) {
            return;
        }
        Map<Integer, String> members = others.get();
        now.forEach((server, sets) -> {
            String name = members.getOrDefault(server, String.valueOf(server));
            names.put(server, name);
            if (!sets.equals(told.get(server))) {
                LOG.warn(
                        "Copy sets {} of node {} wait: too few of the nodes that are here have heard it"
                                + " since they started. Start it, or run 'godwit cluster forget {}' if"
                                + " it never comes back",
                        text(sets),
                        name,
                        name);
            }
        });
        told.keySet().stream()
                .filter(server -> !now.containsKey(server))
                .sorted()
                .forEach(server ->
                        LOG.info("Copy sets of node {} wait no longer", names.remove(server)));
        told = now;
    }

    private static String text(BitSet sets) {
        return sets.stream().mapToObj(String::valueOf).collect(Collectors.joining(", "));
    }
}
