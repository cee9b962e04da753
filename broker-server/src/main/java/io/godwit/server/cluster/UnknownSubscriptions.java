package io.godwit.server.cluster;

import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells operators that publishers wait at this node: it has started while members were out of
 * reach, and no other node knows their subscriptions. One thread.
 */
final class UnknownSubscriptions {
    private static final Logger LOG = LoggerFactory.getLogger(UnknownSubscriptions.class);

    private final Supplier<Set<Integer>> unknown;
    private final Supplier<Map<Integer, String>> others;
    private Set<Integer> told = Set.of();

    /**
     * @param unknown server ids of these members
     * @param others names of the other members, by server id
     */
    UnknownSubscriptions(Supplier<Set<Integer>> unknown, Supplier<Map<Integer, String>> others) {
        this.unknown = unknown;
        this.others = others;
    }

    /** Logs what has changed since the last look. */
    void look() {
        Set<Integer> now = unknown.get();
        if (now.equals(told)) {
            return;
        }
        told = now;
        if (now.isEmpty()) {
            LOG.info("Publishers go on: the subscriptions of all members are known");
        } else {
            LOG.warn(
                    "Publishers wait at this node: the subscriptions of {} are not known, and no node that"
                            + " is here knows them. Start what is missing, or run 'godwit cluster"
                            + " forget' for a node that never comes back",
                    names(now));
        }
    }

    private String names(Set<Integer> servers) {
        Map<Integer, String> names = others.get();
        return servers.stream()
                .sorted()
                .map(each -> names.getOrDefault(each, "server id " + each))
                .collect(Collectors.joining(", "));
    }
}
