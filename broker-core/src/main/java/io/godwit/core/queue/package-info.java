/**
 * The durable queue: what waits for one receiver, in memory and in rows, what is in flight to it,
 * and their limits. Start with {@link io.godwit.core.queue.DurableQueue}; {@link
 * io.godwit.core.queue.ClientQueue} is the one of a session, with the {@link
 * io.godwit.core.queue.Delivery} to its client, and {@link io.godwit.core.queue.PartQueue} is a
 * part of a shared group's. Both may have another queue before them that is drained first. It sees
 * a receiver as an {@link io.godwit.core.queue.Outlet}, the store as a {@link
 * io.godwit.core.store.KeptQueue}, and its shard as the collaborators in {@link
 * io.godwit.core.queue.ShardQueues}.
 *
 * <p>Words: a queue is <em>durable</em> when it is promised that it outlives connections and
 * crashes. What is <em>kept</em> is in the store, which would bring it back: the entries of a
 * durable queue, but for those that were there before it became durable. Something is waited for
 * ({@code whenKept}) when the store was told and has not confirmed it. A <em>row</em> is an entry
 * that the store has confirmed and written apart from the journal, so that it may leave memory.
 */
@NullMarked
package io.godwit.core.queue;

import org.jspecify.annotations.NullMarked;
