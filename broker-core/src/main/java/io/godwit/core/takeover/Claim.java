package io.godwit.core.takeover;

import io.godwit.core.packet.ClientId;
import org.jspecify.annotations.Nullable;

/**
 * To the registrar: a CONNECT wants its client id.
 *
 * @param cleanStart whether an existing session is ended, not continued
 * @param endsOlderThan clock of the stamp of a Clean Start that another node has granted: only an
 *     older session is ended, and any other one stays where it is; 0: none
 * @param by whose sessions may be taken, and any other one stays where it is; null: everyone's
 */
record Claim(
        ClientId clientId,
        Token token,
        boolean cleanStart,
        long endsOlderThan,
        @Nullable ClaimingUser by) {}
