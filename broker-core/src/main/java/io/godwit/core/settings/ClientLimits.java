package io.godwit.core.settings;

/**
 * Bounds of what one client may have at the broker beside its queue ({@code limits.*}).
 *
 * @param subscriptionBytes bytes of the client's filters
 * @param identifiersPerMessage filters with a wildcard and a Subscription Identifier: a message
 *     brings the identifiers of all that match
 * @param willBytes bytes of the client's will
 * @param inFlightBytes bytes of what is sent to it and not acknowledged; one message may always be
 * @param sessionsPerUser sessions of one user name; 0 = any
 * @param sessionsPerAddress sessions of one network address; 0 = any
 * @param connectionsPerUser connections of one user name; 0 = any
 * @param connectionsPerAddress connections of one network address; 0 = any
 * @param publishRate PUBLISHes that are read per second; 0 = any
 * @param publishBytes bytes of them that are read per second; 0 = any
 */
public record ClientLimits(
        long subscriptionBytes,
        int identifiersPerMessage,
        int willBytes,
        long inFlightBytes,
        int sessionsPerUser,
        int sessionsPerAddress,
        int connectionsPerUser,
        int connectionsPerAddress,
        int publishRate,
        long publishBytes) {
    public static final ClientLimits DEFAULTS =
            new ClientLimits(2 << 20, 1_000, 64 << 10, 64L << 20, 0, 0);

    /** These bounds with any number of connections and PUBLISHes. */
    public ClientLimits(
            long subscriptionBytes,
            int identifiersPerMessage,
            int willBytes,
            long inFlightBytes,
            int sessionsPerUser,
            int sessionsPerAddress) {
        this(
                subscriptionBytes,
                identifiersPerMessage,
                willBytes,
                inFlightBytes,
                sessionsPerUser,
                sessionsPerAddress,
                0,
                0,
                0,
                0);
    }
}
