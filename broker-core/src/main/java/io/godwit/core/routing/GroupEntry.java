package io.godwit.core.routing;

import io.godwit.core.message.Message;

/** A QoS 1/2 message of a shared group: idle, or in flight to one member. */
final class GroupEntry {
    /** Above 0; rises with each message of the group. */
    final long id;

    final Message message;

    /** While in flight: the lower of the message's QoS and the member's, 1 or 2. */
    int qos;

    GroupEntry(long id, Message message) {
        this.id = id;
        this.message = message;
    }
}
