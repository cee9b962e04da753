/** The store's port: asynchronous, batched, one commit per turn. Start with {@code Store}. */
@NullMarked
package io.godwit.core.store;

import org.jspecify.annotations.NullMarked;
