package io.godwit.core.takeover;

import io.godwit.core.packet.ClientId;

/**
 * A CONNECT that asks the registrar for its client id. Travels by mail; only the claimant's shard
 * looks into the claimant.
 *
 * @param shard of the claimant
 * @param cleanStart an existing session is ended, not continued
 */
public record Claim(ClientId clientId, Claimant claimant, int shard, boolean cleanStart) {}
