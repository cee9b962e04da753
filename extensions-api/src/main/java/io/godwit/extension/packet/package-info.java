/** Holds MQTT packets as extensions see and make them. All types are immutable. */
@NullMarked
package io.godwit.extension.packet;

import org.jspecify.annotations.NullMarked;
