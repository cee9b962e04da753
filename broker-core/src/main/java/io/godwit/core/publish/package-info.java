/**
 * The way of a PUBLISH to its targets: checks, parking, the order of acknowledgements, routing and
 * fan-out. Start with {@code Publishing} and {@code Router}.
 */
@NullMarked
package io.godwit.core.publish;

import org.jspecify.annotations.NullMarked;
