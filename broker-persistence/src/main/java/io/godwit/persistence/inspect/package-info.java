/**
 * Looks at a store that no broker has open, and takes out, brings back, verifies or sets aside what
 * it holds; and copies one that a broker has open. Start with {@code StoreView}.
 */
@NullMarked
package io.godwit.persistence.inspect;

import org.jspecify.annotations.NullMarked;
