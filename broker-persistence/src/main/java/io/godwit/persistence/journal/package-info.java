/**
 * The way in: each shard's operations gather in an {@code OpList}, {@code CommitLoop} writes all
 * lists that wait as entries of the journal, syncs them, tells the shards and hands the entries on.
 */
@NullMarked
package io.godwit.persistence.journal;

import org.jspecify.annotations.NullMarked;
