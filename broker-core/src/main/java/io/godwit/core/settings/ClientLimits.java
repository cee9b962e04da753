package io.godwit.core.settings;

/**
 * What the broker keeps of one client ({@code limits.*}), beside its queue.
 *
 * @param subscriptionBytes bytes of its filters
 * @param willBytes bytes of its will
 */
public record ClientLimits(long subscriptionBytes, int willBytes) {
    public static final ClientLimits DEFAULTS = new ClientLimits(2 << 20, 64 << 10);
}
