/**
 * The threads: one Netty event loop per shard, and the transport beneath. Start with {@code
 * ShardEventLoop}.
 */
@NullMarked
package io.godwit.server.loop;

import org.jspecify.annotations.NullMarked;
