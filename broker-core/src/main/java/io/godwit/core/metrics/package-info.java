/** Counters: what happens per message is counted, never logged. Start with {@code Metric}. */
@NullMarked
package io.godwit.core.metrics;

import org.jspecify.annotations.NullMarked;
