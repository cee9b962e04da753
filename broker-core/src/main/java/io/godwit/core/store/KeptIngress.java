package io.godwit.core.store;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;

/**
 * An ingress id that a queue remembers, as it is kept; see {@link
 * io.godwit.core.message.Remembered}.
 *
 * @param id message id of the message's append
 */
public record KeptIngress(HybridId id, IngressId ingress) {}
