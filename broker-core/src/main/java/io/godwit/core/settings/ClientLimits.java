package io.godwit.core.settings;

/**
 * Bounds of what one client may have at the broker beside its queue ({@code limits.*}).
 *
 * @param subscriptionBytes bytes of the client's filters
 * @param willBytes bytes of the client's will
 */
public record ClientLimits(long subscriptionBytes, int willBytes) {
    public static final ClientLimits DEFAULTS = new ClientLimits(2 << 20, 64 << 10);
}
