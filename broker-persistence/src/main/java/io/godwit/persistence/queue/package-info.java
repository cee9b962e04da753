/**
 * What becomes of the journal: {@code Window} holds commits in memory for a while, {@code
 * Materialiser} makes rows of what is still there when they leave, {@code PageReader} reads rows
 * back. All but the reader run on the row worker.
 */
@NullMarked
package io.godwit.persistence.queue;

import org.jspecify.annotations.NullMarked;
