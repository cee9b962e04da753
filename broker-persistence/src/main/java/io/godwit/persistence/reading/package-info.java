/**
 * Reads back what queues hold: {@code PageReader} pages of rows for shards, {@code FillPiece} what
 * fills the copies of other nodes, {@code Moments} what queues hold at one place of the journal.
 */
@NullMarked
package io.godwit.persistence.reading;

import org.jspecify.annotations.NullMarked;
