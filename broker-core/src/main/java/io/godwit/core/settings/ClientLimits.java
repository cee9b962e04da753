package io.godwit.core.settings;

/**
 * What the broker keeps of one client ({@code limits.*}), beside its queue.
 *
 * @param subscriptionBytes bytes of its filters
 * @param willBytes bytes of its will
 * @param inFlightBytes bytes of what is sent to it and not acknowledged; one message may always be
 * @param sessionsPerUser sessions of one user name; 0 = any
 * @param sessionsPerAddress sessions of one network address; 0 = any
 */
public record ClientLimits(
        long subscriptionBytes,
        int willBytes,
        long inFlightBytes,
        int sessionsPerUser,
        int sessionsPerAddress) {
    public static final ClientLimits DEFAULTS =
            new ClientLimits(2 << 20, 64 << 10, 64L << 20, 0, 0);
}
