/** Core's simulation with nodes that are one cluster. Begin with {@code ClusterSimulationMain}. */
@NullMarked
package io.godwit.cluster.simulation;

import org.jspecify.annotations.NullMarked;
