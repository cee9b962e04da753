package io.godwit.server.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How far a node has given its sessions to others.
 *
 * @param name of the node
 * @param isDraining whether it is to lead nothing
 * @param left copy sets in which it still leads sessions; empty also while it does not drain
 * @param refusal why it can't drain; null when it can
 */
public record DrainResult(
        String name, boolean isDraining, List<Integer> left, @Nullable String refusal) {
    public DrainResult {
        left = List.copyOf(left);
    }
}
