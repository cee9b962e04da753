/**
 * The disk on RocksDB: opening it in all the ways that can go wrong, its options, its failures.
 * Start with {@code RocksDisk}.
 */
@NullMarked
package io.godwit.persistence.rocks;

import org.jspecify.annotations.NullMarked;
