/** What the suite runs against: the broker, an address, or a double. Start with {@code Target}. */
@NullMarked
package io.godwit.conformance.target;

import org.jspecify.annotations.NullMarked;
