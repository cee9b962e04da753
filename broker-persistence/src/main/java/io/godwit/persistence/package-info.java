/**
 * The RocksDB store behind the ports of {@code io.godwit.core.store}. Filled by the durability
 * issue.
 */
@NullMarked
package io.godwit.persistence;

import org.jspecify.annotations.NullMarked;
