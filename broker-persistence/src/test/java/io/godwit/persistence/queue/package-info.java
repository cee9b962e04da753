/** Tests of what the row thread counts. */
@NullMarked
package io.godwit.persistence.queue;

import org.jspecify.annotations.NullMarked;
