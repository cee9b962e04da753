package io.godwit.extension.service;

import io.godwit.extension.packet.Bytes;
import java.time.Duration;

/**
 * A message that waits for a client.
 *
 * @param id names it in the queue, as long as it waits there
 * @param qos at which it will be delivered, 1 or 2
 * @param age since it was taken in
 * @param payloadSize bytes of the whole payload
 * @param payload the beginning of it, as much as was asked for
 */
public record WaitingMessage(
        String id,
        String topic,
        int qos,
        boolean retain,
        Duration age,
        int payloadSize,
        Bytes payload) {}
