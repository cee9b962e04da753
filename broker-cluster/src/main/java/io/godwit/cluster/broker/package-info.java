/**
 * One broker's part in its cluster, wired: routes, publishes and retained messages between nodes.
 * Begin with {@code BrokerCluster}.
 */
@NullMarked
package io.godwit.cluster.broker;

import org.jspecify.annotations.NullMarked;
