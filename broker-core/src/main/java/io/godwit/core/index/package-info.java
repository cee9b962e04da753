/**
 * Subscriptions: SUBSCRIBE and UNSUBSCRIBE, the one thread that owns topic index and retained
 * store, and the replay of retained messages. Start with {@code Subscribing} and {@code
 * IndexOwner}.
 */
@NullMarked
package io.godwit.core.index;

import org.jspecify.annotations.NullMarked;
