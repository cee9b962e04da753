/**
 * Bytes to packets and back: strict, incremental, without copying the payload. Start with {@code
 * PacketDecoder}.
 */
@NullMarked
package io.godwit.core.codec;

import org.jspecify.annotations.NullMarked;
