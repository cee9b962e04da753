/** Topic index, retained store and shared-subscription groups. Start with {@code TopicIndex}. */
@NullMarked
package io.godwit.core.routing;

import org.jspecify.annotations.NullMarked;
