/** Core's simulation with nodes that are one cluster. Begin with {@code ClusterSimulationMain}. */
@NullMarked
package io.godwit.cluster.broker;

import org.jspecify.annotations.NullMarked;
