/**
 * Wires one broker's part in its cluster: leaders of slots, who has a client id, remote
 * connections; routes, publishes and retained messages between nodes. Begin with {@code
 * BrokerCluster}.
 */
@NullMarked
package io.godwit.cluster.broker;

import org.jspecify.annotations.NullMarked;
