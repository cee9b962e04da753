package io.godwit.core.auth;

/**
 * Limits of one client in place of the node's; 0 stands for the node's.
 *
 * @param receiveMaximum unacknowledged QoS 1 and 2 PUBLISHes of the client, 0..65 535
 * @param publishRate PUBLISHes that are read per second
 * @param publishBytes bytes of PUBLISHes that are read per second
 */
public record ClientSettings(int receiveMaximum, int publishRate, long publishBytes) {
    /** All limits are the node's. */
    public static final ClientSettings NODE = new ClientSettings(0, 0, 0);

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
    }
}
