/**
 * From a PUBLISH to everyone it goes to: checks, what waits, the order of acknowledgements, routing
 * and fan-out. Start with {@code Publishing} and {@code Router}.
 */
@NullMarked
package io.godwit.core.publish;

import org.jspecify.annotations.NullMarked;
