/** Tests of MQTT 3.1.1, packet by packet. */
@NullMarked
package io.godwit.conformance.v311;

import org.jspecify.annotations.NullMarked;
