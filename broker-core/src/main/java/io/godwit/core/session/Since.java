package io.godwit.core.session;

import io.godwit.core.packet.TopicFilter;

/**
 * A filter that a session has subscribed to since it left the oldest of its former homes.
 *
 * @param changes number of the grant of the home where that was
 */
public record Since(TopicFilter filter, long changes) {}
