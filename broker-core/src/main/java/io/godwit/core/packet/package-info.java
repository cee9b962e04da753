/**
 * MQTT control packets and their parts as immutable values. Start with {@code Packet}; {@code
 * PublishFrame} and the acknowledgements are the message path's allocation-free forms.
 */
@NullMarked
package io.godwit.core.packet;

import org.jspecify.annotations.NullMarked;
