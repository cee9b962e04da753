/** Tests of MQTT 5.0, packet by packet. */
@NullMarked
package io.godwit.conformance.v5;

import org.jspecify.annotations.NullMarked;
