/**
 * A raw client and hand-built packets, independent of the broker's codec. Start with {@code
 * WireClient}.
 */
@NullMarked
package io.godwit.conformance.wire;

import org.jspecify.annotations.NullMarked;
