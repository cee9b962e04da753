package io.godwit.cluster;

/** How a node finds the others at its start. */
public enum Discovery {
    /** {@code cluster.seeds} are the addresses of nodes. */
    STATIC,
    /** {@code cluster.seeds} is a name in the DNS that has all nodes' addresses. */
    DNS,
    /** By multicast in the local network. */
    MULTICAST,
    /** {@code cluster.seeds} is the name of a headless service: asked of the DNS like any other. */
    KUBERNETES,
    /** {@code cluster.seeds} is a folder that all nodes share. */
    FILE
}
