package io.godwit.core.store;

import io.godwit.core.id.IngressId;
import io.godwit.core.packet.Will;

/**
 * A will in a session's record.
 *
 * @param ingress given at CONNECT, so that the will is one publish however often it is begun
 */
public record KeptWill(Will will, IngressId ingress) {}
