package io.godwit.core.takeover;

import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;

/**
 * A message that goes after its session, as the session's subscription has it.
 *
 * @param qos at which it goes out
 * @param retain whether the client is told that it was retained
 * @param ids subscription identifiers
 */
public record Forwarded(ClientId clientId, Message message, int qos, boolean retain, int[] ids) {}
