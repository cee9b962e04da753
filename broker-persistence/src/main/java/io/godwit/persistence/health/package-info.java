/** Whether the store writes, what of it can't be read, and what it counts. */
@NullMarked
package io.godwit.persistence.health;

import org.jspecify.annotations.NullMarked;
