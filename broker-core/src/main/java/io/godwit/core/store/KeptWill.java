package io.godwit.core.store;

import io.godwit.core.id.IngressId;
import io.godwit.core.packet.Will;

/**
 * A will as a record keeps it.
 *
 * @param ingress given at CONNECT, so that it is one publish however often it is begun
 */
public record KeptWill(Will will, IngressId ingress) {}
