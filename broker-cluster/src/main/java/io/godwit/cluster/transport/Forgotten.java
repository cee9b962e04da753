package io.godwit.cluster.transport;

import java.util.Set;

/**
 * Which nodes do not belong to the cluster any more, though they once did.
 *
 * @param servers their server ids
 * @param times how often any node was forgotten: on one node it never falls
 */
public record Forgotten(Set<Integer> servers, long times) {
    public static final Forgotten NOBODY = new Forgotten(Set.of(), 0);

    public Forgotten {
        servers = Set.copyOf(servers);
    }
}
