package io.godwit.server.config;

import io.godwit.core.settings.LimitSettings;
import java.util.List;

/** The section {@code limits} of {@link Keys}: what one client, and all of them, may take. */
final class LimitKeys {
    private static final long KIB = 1L << 10;
    private static final long MIB = 1L << 20;
    private static final LimitSettings LIMITS = LimitSettings.DEFAULTS;

    private static final KeyTable TABLE = new KeyTable();

    /** In the order of the file. */
    static final List<Key<?>> ALL = TABLE.keys();

    static final Key<Long> CONNECTIONS =
            TABLE.key(
                    "limits.connections",
                    Quantity.number(1, 10_000_000),
                    (long) LIMITS.connections(),
                    "Connections of the node. If the limit on open files allows fewer, that limit "
                            + "applies.");

    static final Key<Long> CONNECT_RATE =
            TABLE.key(
                    "limits.connect-rate",
                    Quantity.number(0, 1_000_000),
                    (long) LIMITS.connectRate(),
                    "Connections accepted per second, with bursts of two seconds' worth. 0: no "
                            + "limit.");

    static final Key<Long> CONNECT_TIMEOUT =
            TABLE.key(
                    "limits.connect-timeout",
                    Quantity.millis(100, 600_000),
                    LIMITS.connectTimeoutMs(),
                    "Time limit for a new connection to complete PROXY header, TLS, WebSocket and "
                            + "CONNECT.");

    static final Key<Long> CONNECT_PACKET_SIZE =
            TABLE.key(
                    "limits.connect-packet-size",
                    Quantity.bytes(KIB, 268_435_460),
                    (long) LIMITS.packets().connectBytes(),
                    "The largest packet accepted from a client before it is connected: CONNECT, "
                            + "with its will, and AUTH. mqtt.maximum-packet-size applies too.");

    static final Key<Long> PACKET_TIMEOUT =
            TABLE.key(
                    "limits.packet-timeout",
                    Quantity.millis(1_000, 86_400_000),
                    LIMITS.packets().timeoutMs(),
                    "Time limit for a packet, from its first byte to its last; then its connection "
                            + "is closed with 0x97. While incomplete packets take more than half of "
                            + "limits.partial-bytes, one that makes no progress is closed after a second.");

    static final Key<Long> USER_PROPERTIES =
            TABLE.key(
                    "limits.user-properties",
                    Quantity.number(0, 1_000_000),
                    (long) LIMITS.packets().userProperties(),
                    "User Properties of one packet; a client that sends more is closed with 0x97.");

    static final Key<Long> SUBSCRIBE_FILTERS =
            TABLE.key(
                    "limits.subscribe-filters",
                    Quantity.number(1, 1_000_000),
                    (long) LIMITS.packets().filters(),
                    "Topic filters of one SUBSCRIBE or UNSUBSCRIBE. Further filters of a SUBSCRIBE "
                            + "are refused in SUBACK with 0x97 (3.x: 0x80); a client that sends more in an "
                            + "UNSUBSCRIBE is closed with 0x97.");

    static final Key<Long> TOPIC_LEVELS =
            TABLE.key(
                    "limits.topic-levels",
                    Quantity.number(1, 0xFFFF),
                    (long) LIMITS.topicLevels(),
                    "Levels (a/b/c has three) of a topic name or filter.");

    static final Key<Long> SUBSCRIPTIONS_PER_CLIENT =
            TABLE.key(
                    "limits.subscriptions-per-client",
                    Quantity.number(1, 100_000_000),
                    (long) LIMITS.subscriptionsPerClient(),
                    "Subscriptions of one session; further ones are refused with 0x97 (quota "
                            + "exceeded).");

    static final Key<Long> SUBSCRIPTION_BYTES =
            TABLE.key(
                    "limits.subscription-bytes",
                    Quantity.bytes(KIB, 1L << 40),
                    LIMITS.clients().subscriptionBytes(),
                    "The size of their filters; further ones are refused in the same way.");

    static final Key<Long> IDENTIFIERS_PER_MESSAGE =
            TABLE.key(
                    "limits.identifiers-per-message",
                    Quantity.number(0, 100_000_000),
                    (long) LIMITS.clients().identifiersPerMessage(),
                    "Subscription Identifiers that overlapping subscriptions with wildcards may add "
                            + "to one message; one without a wildcard may add one more. A session may "
                            + "have this many subscriptions with a wildcard and an identifier; further "
                            + "ones are refused in the same way. Shared subscriptions do not count.");

    static final Key<Long> WILL_BYTES =
            TABLE.key(
                    "limits.will-bytes",
                    Quantity.bytes(0, 268_435_460),
                    (long) LIMITS.clients().willBytes(),
                    "The size of a will: topic, payload and properties. A CONNECT with a larger one "
                            + "is refused with 0x97 (3.x: 3). limits.connect-packet-size applies too.");

    static final Key<Long> SESSION_BYTES =
            TABLE.key(
                    "limits.session-bytes",
                    Quantity.bytes(MIB, 1L << 44).orZero(),
                    0L,
                    "Memory for the sessions of the node with their subscriptions and wills, and for "
                            + "the filters of other nodes. Above it new sessions and new "
                            + "subscriptions are refused with 0x97 (3.x: 3, 0x80). 0: a quarter of the "
                            + "Java heap.");

    static final Key<Long> SESSIONS_PER_USER =
            TABLE.key(
                    "limits.sessions-per-user",
                    Quantity.number(0, 100_000_000),
                    0L,
                    "Sessions, online or not, that clients with the same user name have created on "
                            + "this node since it started; further ones are refused with 0x97 (3.x: 3). "
                            + "Clients without a user name are not counted. 0: no limit.");

    static final Key<Long> SESSIONS_PER_ADDRESS =
            TABLE.key(
                    "limits.sessions-per-address",
                    Quantity.number(0, 100_000_000),
                    0L,
                    "The same per network address, of IPv6 per /64; note that many clients may share "
                            + "one. Behind a proxy it is the address that the proxy announces "
                            + "(listeners.<name>.proxy-protocol, trusted-proxies). 0: no limit.");

    static final Key<Long> CONNECTIONS_PER_USER =
            TABLE.key(
                    "limits.connections-per-user",
                    Quantity.number(0, 100_000_000),
                    0L,
                    "Connections that clients with the same user name have to this node; further ones "
                            + "are refused with 0x97 (3.x: 3). Clients without a user name are not "
                            + "counted. 0: no limit.");

    static final Key<Long> CONNECTIONS_PER_ADDRESS =
            TABLE.key(
                    "limits.connections-per-address",
                    Quantity.number(0, 100_000_000),
                    0L,
                    "The same per network address (IPv6: per /64); note that many clients may share "
                            + "one. 0: no limit.");

    static final Key<Long> PUBLISH_RATE =
            TABLE.key(
                    "limits.publish-rate",
                    Quantity.number(0, 100_000_000),
                    0L,
                    "PUBLISH packets per second of one client, with bursts of a second's worth. Above it "
                            + "its socket is not read for a while; nothing is dropped. 0: no limit.");

    static final Key<Long> PUBLISH_BYTES =
            TABLE.key(
                    "limits.publish-bytes",
                    Quantity.bytes(1, 1L << 40).orZero(),
                    0L,
                    "The same for the bytes of their payloads. 0: no limit.");

    static final Key<Long> QUEUE_MESSAGES =
            TABLE.key(
                    "limits.queue-messages",
                    Quantity.number(1, 100_000_000),
                    (long) LIMITS.queueMessages(),
                    "QoS 1 and 2 messages that wait in memory for one transient session (expiry 0; "
                            + "3.x: clean session 1), not counting those in flight. From half of it on who "
                            + "publishes to nobody else waits while the client takes enough. When the queue is "
                            + "full, new messages are discarded and counted. This limits how far a slow client can "
                            + "fall behind: 10 000 are some seconds of a busy topic. For durable sessions "
                            + "queues.messages applies instead.");

    static final Key<Long> QUEUE_BYTES =
            TABLE.key(
                    "limits.queue-bytes",
                    Quantity.bytes(KIB, 1L << 40).orZero(),
                    0L,
                    "The same in bytes; the limit that is reached first applies. 0: an eighth of "
                            + "overload.memory-bytes, at most 64 MiB, but at least one packet of the largest "
                            + "size.");

    static final Key<Long> IN_FLIGHT_BYTES =
            TABLE.key(
                    "limits.in-flight-bytes",
                    Quantity.bytes(KIB, 1L << 40).orZero(),
                    0L,
                    "Bytes that are sent to one client and not acknowledged yet; a message may "
                            + "exceed it when nothing else is in flight. The rest waits in the queue, on the "
                            + "disk if the session is durable. 0: an eighth of overload.memory-bytes, at most "
                            + "64 MiB.");

    static final Key<Long> RETAINED_MESSAGES =
            TABLE.key(
                    "limits.retained-messages",
                    Quantity.number(0, 1_000_000_000),
                    (long) LIMITS.retainedMessages(),
                    "Retained messages, one per topic. At the limit a message for a new topic is "
                            + "delivered but not retained, and counted.");

    static final Key<Long> RETAINED_BYTES =
            TABLE.key(
                    "limits.retained-bytes",
                    Quantity.bytes(KIB, 1L << 40).orZero(),
                    0L,
                    "The size of all retained messages: topics, payloads and properties. 0: an "
                            + "eighth of the Java heap.");

    static final Key<Long> PARTIAL_BYTES =
            TABLE.key(
                    "limits.partial-bytes",
                    Quantity.bytes(KIB, 1L << 40).orZero(),
                    0L,
                    "Memory for incomplete packets of all connections together: it limits what "
                            + "clients that hold back the last byte can take. A quarter of it is for packets "
                            + "that hold less than 256 KiB. 0: a quarter of the network buffers' memory, but "
                            + "at least two packets of the largest size.");

    private LimitKeys() {}
}
