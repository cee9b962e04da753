package io.godwit.core.takeover;

import io.godwit.core.packet.ClientId;

/**
 * To the registrar: a CONNECT wants its client id.
 *
 * @param cleanStart whether an existing session is ended, not continued
 */
record Claim(ClientId clientId, Token token, boolean cleanStart) {}
