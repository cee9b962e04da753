/** Messages, and what queues remember of them. */
@NullMarked
package io.godwit.core.message;

import org.jspecify.annotations.NullMarked;
