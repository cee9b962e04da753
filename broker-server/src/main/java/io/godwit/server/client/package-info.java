/**
 * {@code godwit pub} and {@code godwit sub}: a small MQTT client over blocking sockets, on the
 * broker's own codec. Start with {@link io.godwit.server.client.MqttConnection}.
 */
@NullMarked
package io.godwit.server.client;

import org.jspecify.annotations.NullMarked;
