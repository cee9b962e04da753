package io.godwit.core.routing;

import io.godwit.core.message.Message;

/**
 * A retained message.
 *
 * @param version of the topic index when it was stored: who has routed the topic at a higher or the
 *     same version has had this message, or a newer one, live
 */
public record Retained(Message message, long version) {}
