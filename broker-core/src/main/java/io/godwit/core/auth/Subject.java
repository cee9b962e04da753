package io.godwit.core.auth;

import io.godwit.core.packet.ClientId;

/** A client whose identity is known, on one connection: what rules are about. */
public record Subject(ClientId clientId, Identity identity, Peer peer) {}
