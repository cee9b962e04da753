/**
 * Room on the store's disk: publishers wait before it is full, and a ballast file is given up so
 * that removals can still be written. And whether it answers at all. Start with {@code DiskSpace}.
 */
@NullMarked
package io.godwit.persistence.space;

import org.jspecify.annotations.NullMarked;
