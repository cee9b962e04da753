package io.godwit.cluster.transport;

/**
 * A message that a link did not get confirmed before it ended.
 *
 * @param link number of the link
 * @param position among the messages of its class and link, from 1; those that never left have
 *     positions behind all that did
 */
public record Unconfirmed(long link, long position, Outgoing message) {
    public TrafficClass traffic() {
        return message.type().traffic();
    }
}
