/**
 * A relay of connections between two nodes, without a broker in it: what do the bytes of a client
 * cost that pass one more node over links? Start with {@link
 * io.godwit.benchmarks.load.relay.RelayMain}; the scenario that measures it is {@code
 * cluster-relay}.
 */
@NullMarked
package io.godwit.benchmarks.load.relay;

import org.jspecify.annotations.NullMarked;
