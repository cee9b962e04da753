/**
 * One node: its shards and how their rooms are wired, its bounds, what a restart takes up, what
 * people ask about it, and its end. Start with {@code BrokerShard}.
 */
@NullMarked
package io.godwit.core.node;

import org.jspecify.annotations.NullMarked;
