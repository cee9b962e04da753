/**
 * The ports to the disk: a journal of commits, and a database of ordered families that has no log
 * of its own. Files and RocksDB are one implementation, the simulator's disk the other. Start with
 * {@code Disk} and {@code Journal}.
 */
@NullMarked
package io.godwit.persistence.disk;

import org.jspecify.annotations.NullMarked;
