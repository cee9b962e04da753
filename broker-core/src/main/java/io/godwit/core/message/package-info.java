/** Application messages inside the broker: what is routed, queued and retained. */
@NullMarked
package io.godwit.core.message;

import org.jspecify.annotations.NullMarked;
