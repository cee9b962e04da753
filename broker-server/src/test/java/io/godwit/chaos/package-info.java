/**
 * A real broker process that is killed, loses its power or its disk, again and again, while clients
 * publish and subscribe; what it acknowledged is checked against the clients' own histories. {@code
 * ChaosMain} is {@code ./godwit chaos}; {@code ChaosRun} is one run; {@code Checker} says what must
 * hold.
 */
@NullMarked
package io.godwit.chaos;

import org.jspecify.annotations.NullMarked;
