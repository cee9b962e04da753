/**
 * A node of a cluster with real threads: links, membership and transport put together. Begin with
 * {@code ClusterNode}.
 */
@NullMarked
package io.godwit.cluster.node;

import org.jspecify.annotations.NullMarked;
