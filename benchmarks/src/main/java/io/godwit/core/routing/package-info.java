/** Micro-benchmarks of the topic index. */
@NullMarked
package io.godwit.core.routing;

import org.jspecify.annotations.NullMarked;
