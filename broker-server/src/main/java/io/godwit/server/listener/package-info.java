/**
 * Where clients come in: TCP, TLS, WebSocket and both together. Whatever the handshake was, behind
 * it stands one handler, {@code ChannelWire}. Start with {@code Listeners}.
 */
@NullMarked
package io.godwit.server.listener;

import org.jspecify.annotations.NullMarked;
