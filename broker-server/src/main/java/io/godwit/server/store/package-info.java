/** The commands {@code godwit store ...}. Start with {@code StoreCommand}. */
@NullMarked
package io.godwit.server.store;

import org.jspecify.annotations.NullMarked;
