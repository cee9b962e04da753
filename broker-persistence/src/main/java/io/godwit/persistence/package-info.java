/**
 * The store behind the ports of {@code io.godwit.core.store}: a journal first, rows of queues when
 * messages must wait. Start with {@code DiskStore}; {@code journal} is the way in, {@code queue}
 * what becomes of it, {@code recovery} what a restart does, {@code codec} the bytes, {@code disk}
 * the port to the database below.
 */
@NullMarked
package io.godwit.persistence;

import org.jspecify.annotations.NullMarked;
