package io.godwit.core.store;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;

/**
 * What a queue remembers of a QoS 2 message; see {@link io.godwit.core.message.Remembered}.
 *
 * @param id message id of its append
 */
public record KeptIngress(HybridId id, IngressId ingress) {}
