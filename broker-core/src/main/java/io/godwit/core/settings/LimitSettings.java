package io.godwit.core.settings;

/**
 * Bounds ({@code limits.*}); each has a counter for what it refused.
 *
 * @param connections connections of the node
 * @param connectRate CONNECTs accepted per second, burst of two seconds; 0 = any
 * @param connectTimeoutMs from the accept to the last byte of CONNECT
 * @param topicLevels levels of a topic name or filter
 * @param subscriptionsPerClient filters of one session
 * @param queueMessages QoS 1/2 messages that wait for one session, in-flight ones not counted
 * @param queueBytes bytes of those messages
 * @param retainedMessages retained messages of the node
 * @param retainedBytes bytes of those messages
 * @param partialBytes bytes of packets that have not arrived whole, of all connections together
 * @param sessionBytes bytes of the node's sessions, their subscriptions and wills, and of the
 *     filters of other nodes
 * @param packets bounds of one packet
 * @param clients bounds of one client
 */
public record LimitSettings(
        int connections,
        int connectRate,
        long connectTimeoutMs,
        int topicLevels,
        int subscriptionsPerClient,
        int queueMessages,
        long queueBytes,
        int retainedMessages,
        long retainedBytes,
        long partialBytes,
        long sessionBytes,
        PacketLimits packets,
        ClientLimits clients) {
    public static final LimitSettings DEFAULTS =
            new LimitSettings(
                    1_000_000,
                    0,
                    10_000,
                    64,
                    10_000,
                    10_000,
                    64L << 20,
                    1_000_000,
                    256L << 20,
                    256L << 20);

    /** These bounds with the default ones of packets and clients. */
    public LimitSettings(
            int connections,
            int connectRate,
            long connectTimeoutMs,
            int topicLevels,
            int subscriptionsPerClient,
            int queueMessages,
            long queueBytes,
            int retainedMessages,
            long retainedBytes,
            long partialBytes) {
        this(
                connections,
                connectRate,
                connectTimeoutMs,
                topicLevels,
                subscriptionsPerClient,
                queueMessages,
                queueBytes,
                retainedMessages,
                retainedBytes,
                partialBytes,
                1L << 30,
                PacketLimits.DEFAULTS,
                ClientLimits.DEFAULTS);
    }
}
