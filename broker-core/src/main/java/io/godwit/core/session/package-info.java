/**
 * Sessions, connections and delivery as state machines owned by one shard. Start with {@code
 * Session} and {@code ClientConnection}.
 */
@NullMarked
package io.godwit.core.session;

import org.jspecify.annotations.NullMarked;
