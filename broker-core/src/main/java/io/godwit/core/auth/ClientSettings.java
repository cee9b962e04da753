package io.godwit.core.auth;

import io.godwit.core.settings.QueueBounds;

/**
 * Limits of one client in place of the node's; 0 stands for the node's.
 *
 * @param receiveMaximum unacknowledged QoS 1 and 2 PUBLISHes of the client, 0..65 535
 * @param publishRate PUBLISHes that are read per second
 * @param publishBytes bytes of PUBLISHes that are read per second
 * @param queue bounds of the queue of the client's session
 * @param connectionsOfUser connections that its user may have, this one included
 * @param connectionsOfAddress connections that its address may have, this one included
 */
public record ClientSettings(
        int receiveMaximum,
        int publishRate,
        long publishBytes,
        QueueBounds queue,
        int connectionsOfUser,
        int connectionsOfAddress) {
    /** All limits are the node's. */
    public static final ClientSettings NODE = new ClientSettings(0, 0, 0);

    /** Limits what the client publishes; all other limits are the node's. */
    public ClientSettings(int receiveMaximum, int publishRate, long publishBytes) {
        this(receiveMaximum, publishRate, publishBytes, QueueBounds.NODE, 0, 0);
    }

    public ClientSettings {
        if (receiveMaximum < 0 || receiveMaximum > 65_535 || publishRate < 0 || publishBytes < 0) {
            throw new IllegalArgumentException(
                    "receive maximum "
                            + receiveMaximum
                            + ", "
                            + publishRate
                            + " and "
                            + publishBytes
                            + " B per second");
        }
        if (connectionsOfUser < 0 || connectionsOfAddress < 0) {
            throw new IllegalArgumentException(
                    connectionsOfUser
                            + " connections of a user and "
                            + connectionsOfAddress
                            + " of an address");
        }
    }
}
