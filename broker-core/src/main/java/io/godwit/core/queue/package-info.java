/**
 * The durable queue: what waits for one receiver, in memory and in rows, what is in flight to it,
 * and their limits. Start with {@link io.godwit.core.queue.DurableQueue}; {@link
 * io.godwit.core.queue.ClientQueue} is the one of a session, and may have a {@link
 * io.godwit.core.queue.Predecessor} that is drained first. It sees a receiver as an {@link
 * io.godwit.core.queue.Outlet}, the store as a {@link io.godwit.core.store.KeptQueue}, and its
 * shard as the collaborators in {@link io.godwit.core.queue.ShardQueues}.
 */
@NullMarked
package io.godwit.core.queue;

import org.jspecify.annotations.NullMarked;
