package io.godwit.core.takeover;

import io.godwit.core.packet.ClientId;

/**
 * Tells a registrar that a CONNECT wants its client id.
 *
 * @param cleanStart an existing session is ended, not continued
 */
public record Claim(ClientId clientId, Token token, boolean cleanStart) {}
