package io.godwit.core.settings;

/**
 * What the broker offers to clients ({@code mqtt.*}).
 *
 * @param receiveMaximum unacknowledged QoS 1/2 PUBLISH packets that a client may have towards us,
 *     1..65 535
 * @param topicAliasMaximum Topic Aliases that a client may use towards us, 0..65 535
 * @param topicAliasMaximumOutbound aliases that we use towards one client at most; the client's own
 *     maximum may lower it, 0..65 535
 * @param maximumPacketSize bytes of a whole packet, 1 024..268 435 460
 * @param maximumQos 0..2
 * @param keepAliveMaximum seconds; a longer or absent keep alive is answered with this one (5.0) or
 *     treated as this one (3.x); 0 = any
 * @param sessionExpiryMaximum seconds, 0..4 294 967 295 (never)
 * @param sessionExpiry3x seconds that a 3.x session with clean session 0 outlives its connection
 * @param inFlight3x unacknowledged QoS 1/2 messages towards a 3.x client, or a 5.0 client without
 *     Receive Maximum above it, 1..65 535
 * @param controlCharacters whether strings may have control characters and non-characters
 */
public record MqttSettings(
        int receiveMaximum,
        int topicAliasMaximum,
        int topicAliasMaximumOutbound,
        int maximumPacketSize,
        int maximumQos,
        int keepAliveMaximum,
        boolean retainAvailable,
        boolean wildcardSubscriptions,
        boolean sharedSubscriptions,
        boolean subscriptionIdentifiers,
        long sessionExpiryMaximum,
        long sessionExpiry3x,
        int inFlight3x,
        SharedStrategy sharedStrategy,
        String responseInformation,
        boolean controlCharacters) {
    public static final MqttSettings DEFAULTS =
            new MqttSettings(
                    1_024,
                    32,
                    32,
                    16 * 1024 * 1024,
                    2,
                    0,
                    true,
                    true,
                    true,
                    true,
                    0xFFFF_FFFFL,
                    7 * 24 * 3600,
                    1_024,
                    SharedStrategy.ROUND_ROBIN,
                    "",
                    false);
}
