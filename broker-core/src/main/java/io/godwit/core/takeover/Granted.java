package io.godwit.core.takeover;

import io.godwit.core.packet.ClientId;

/**
 * Tells a claimant that the client id is its own.
 *
 * @param by the session's owner until now; the claimant's own place when there was no session
 * @param changes how often the session of this client id has changed its home
 */
record Granted(ClientId clientId, Token token, Place by, long changes) {}
