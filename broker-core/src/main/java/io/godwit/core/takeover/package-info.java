/**
 * Gives each client id to one connection of this node: its registrar grants it, and its session is
 * handed over to the shard of the connection that claims it. Start with {@code Takeover}.
 */
@NullMarked
package io.godwit.core.takeover;

import org.jspecify.annotations.NullMarked;
