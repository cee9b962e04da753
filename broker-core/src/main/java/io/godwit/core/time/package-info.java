/** Time passed in: clocks and the timer wheel. */
@NullMarked
package io.godwit.core.time;

import org.jspecify.annotations.NullMarked;
