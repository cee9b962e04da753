/**
 * What queues hold, read back: {@code PageReader} reads pages of rows for shards, {@code
 * CopyReader} those for other nodes, {@code Moments} says what a queue holds at one place of the
 * journal.
 */
@NullMarked
package io.godwit.persistence.reading;

import org.jspecify.annotations.NullMarked;
