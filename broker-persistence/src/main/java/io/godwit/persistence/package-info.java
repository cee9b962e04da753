/**
 * The store behind the ports of {@code io.godwit.core.store}: a journal first, rows of queues when
 * messages must wait. Start with {@code DiskStore}; {@code journal} is the way in, {@code window}
 * where a commit waits, {@code queue} the rows that become of it, {@code reading} the way back,
 * {@code upkeep} flushes and compacts, {@code recovery} is what a restart does, {@code codec} the
 * bytes, {@code disk} the port to the database below.
 *
 * <p>Three words: a commit is <i>durable</i> when it is as safe as {@code durability.sync}
 * promises; <i>stored</i> is what a value in the database says; what is <i>kept</i> outlives the
 * process, wherever it stands, and is what core is told of at a start ({@code KeptSession}).
 */
@NullMarked
package io.godwit.persistence;

import org.jspecify.annotations.NullMarked;
