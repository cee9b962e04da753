/**
 * The rows of queues and what is stored beside them: {@code Materialiser} makes rows of what leaves
 * the journal's window, on the row worker; {@code Depths} counts them.
 */
@NullMarked
package io.godwit.persistence.queue;

import org.jspecify.annotations.NullMarked;
