/**
 * The port to the database on the disk: ordered families of keys, atomic batches, one write-ahead
 * log. RocksDB is one implementation, the simulator's disk the other. Start with {@code Disk}.
 */
@NullMarked
package io.godwit.persistence.disk;

import org.jspecify.annotations.NullMarked;
