/**
 * Connections: bytes in and out, their bounds and pauses, CONNECT and AUTH. Start with {@code
 * ClientConnection}.
 */
@NullMarked
package io.godwit.core.connection;

import org.jspecify.annotations.NullMarked;
