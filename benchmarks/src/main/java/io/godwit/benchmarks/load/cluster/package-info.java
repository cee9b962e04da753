/**
 * Scenarios with several nodes: {@code benchmarks/scenarios/run cluster-...}. {@link
 * io.godwit.benchmarks.load.cluster.ClusterMain} names them; each is one class that says its
 * question, load and bound.
 */
@NullMarked
package io.godwit.benchmarks.load.cluster;

import org.jspecify.annotations.NullMarked;
