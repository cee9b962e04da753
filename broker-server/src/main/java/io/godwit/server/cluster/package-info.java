/**
 * This node among others: who it is, how it finds them, when it is one of them, and what an
 * operator sees of that. Nothing of it is loaded unless {@code cluster.enabled}. Begin with {@code
 * ClusterPart}.
 */
@NullMarked
package io.godwit.server.cluster;

import org.jspecify.annotations.NullMarked;
