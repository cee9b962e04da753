/**
 * {@code godwit pub} and {@code godwit sub}: a small MQTT client over blocking sockets, on the
 * broker's own codec. Start with {@link io.godwit.server.client.MqttConnection}. {@link
 * io.godwit.server.client.CheckingLoad} is the load that {@code godwit cluster demo} checks its
 * nodes with.
 */
@NullMarked
package io.godwit.server.client;

import org.jspecify.annotations.NullMarked;
