/** Micro-benchmarks of the store, on a real disk. Start with {@code StoreBenchmark}. */
@NullMarked
package io.godwit.persistence;

import org.jspecify.annotations.NullMarked;
