package io.godwit.core.routing;

import io.godwit.core.message.Message;

/**
 * A retained message.
 *
 * @param version the topic index's when this was put: whoever has routed the topic at that version
 *     or a higher one has had this message, or a newer one, live
 */
public record Retained(Message message, long version) {}
