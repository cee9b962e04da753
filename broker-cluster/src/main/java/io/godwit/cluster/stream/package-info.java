/**
 * Streams between two starts of two nodes: what one shard tells another node, in order, each record
 * under a position that the other node answers for. What is not answered is sent again when a link
 * is back; the other side drops what it has by the position.
 *
 * <p>Begin with {@code OutStream} and {@code InStream}.
 */
@NullMarked
package io.godwit.cluster.stream;

import org.jspecify.annotations.NullMarked;
