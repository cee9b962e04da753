/**
 * Shared-subscription groups: who is a member, and who gets which message, over durable queues that
 * are like any other. Start with {@link io.godwit.core.group.SharedGroup}, which is told of
 * members; an entry's states are in {@code GroupDelivery}.
 */
@NullMarked
package io.godwit.core.group;

import org.jspecify.annotations.NullMarked;
