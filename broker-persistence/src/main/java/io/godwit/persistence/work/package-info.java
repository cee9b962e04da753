/** The store's threads, as whoever has work for them sees them. */
@NullMarked
package io.godwit.persistence.work;

import org.jspecify.annotations.NullMarked;
