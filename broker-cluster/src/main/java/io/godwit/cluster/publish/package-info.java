/**
 * Publishes between nodes: the way of each shard to the subscribers of other nodes, and of what
 * they send to the subscribers here. Begin with {@code ShardStreams}, or, for what leaves, with
 * {@code StreamSender}.
 */
@NullMarked
package io.godwit.cluster.publish;

import org.jspecify.annotations.NullMarked;
