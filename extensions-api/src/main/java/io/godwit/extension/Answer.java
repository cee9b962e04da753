package io.godwit.extension;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The answer of an extension to a question of the broker.
 *
 * @param <A> the kind of answers to one question
 */
public interface Answer<A extends Answer<A>> {
    /** Returns this answer as one that is there already. */
    @SuppressWarnings("unchecked") // Each kind of answers extends Answer of itself.
    default CompletionStage<A> now() {
        return CompletableFuture.completedFuture((A) this);
    }
}
