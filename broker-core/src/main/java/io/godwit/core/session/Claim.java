package io.godwit.core.session;

import io.godwit.core.packet.ClientId;

/**
 * A CONNECT that asks the registrar for its client id. Travels by mail; only the claimant's shard
 * looks into the connection.
 *
 * @param shard of the claiming connection
 * @param cleanStart an existing session is ended, not continued
 */
record Claim(ClientId clientId, ClientConnection connection, int shard, boolean cleanStart) {}
