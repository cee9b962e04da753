/**
 * One client id, one connection in the cluster: who may take a client id is granted by the first
 * anchor of its slot, and the home of a session gives it to whoever was granted it, once for each
 * epoch. All of it is state machines that shard 0 of each node owns. Start with {@code Takeovers}.
 */
@NullMarked
package io.godwit.cluster.takeover;

import org.jspecify.annotations.NullMarked;
