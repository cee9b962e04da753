package io.godwit.core.takeover;

import io.godwit.core.packet.ClientId;

/**
 * To the registrar: a CONNECT wants its client id.
 *
 * @param cleanStart whether an existing session is ended, not continued
 * @param endsOlderThan clock of the stamp of a Clean Start that another node has granted: only an
 *     older session is ended, and any other one stays where it is; 0: none
 */
record Claim(ClientId clientId, Token token, boolean cleanStart, long endsOlderThan) {}
