package io.godwit.server.config;

import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.SharedStrategy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The table of all keys but those of a listener ({@link ListenerKeys}), in the order of the file;
 * those at its end stand in {@link StoreKeys}.
 */
final class Keys {
    private static final long KIB = 1L << 10;
    private static final long MIB = 1L << 20;
    private static final long DAY = 24 * 3600;
    private static final MqttSettings MQTT = MqttSettings.DEFAULTS;
    private static final LimitSettings LIMITS = LimitSettings.DEFAULTS;
    private static final OverloadSettings OVERLOAD = OverloadSettings.DEFAULTS;

    /** In the order of the file. */
    static final List<Key<?>> ALL;

    private static final List<Key<?>> DECLARED = new ArrayList<>();

    static final Key<String> NODE_NAME =
            key(
                    "node.name",
                    ValueType.text(
                            "empty, or up to 64 of a-z A-Z 0-9 . _ -",
                            text -> text.matches("[A-Za-z0-9._-]{0,64}")),
                    "",
                    "What this node is called: in each line of the log with log.format: json (with text in the"
                            + " line that says that it is ready), and in the metric godwit_node."
                            + " Empty: the machine's host name.");

    static final Key<String> NODE_DATA =
            key(
                    "node.data",
                    ValueType.text("a folder", text -> !text.isEmpty()),
                    "data",
                    "The folder for everything that must outlive the process. Relative paths, here and"
                            + " elsewhere, begin at Godwit's own folder.");

    static final Key<Long> NODE_MEMORY =
            key(
                    MemoryKey.NAME,
                    MemoryKey.TYPE,
                    0L,
                    "Memory that the whole process may use. The launcher divides it into Java heap, network"
                            + " buffers and the store's share. 0: the container's limit, or half of"
                            + " the machine where there is none.");

    static final Key<Long> SERVER_SHARDS =
            key(
                    "server.shards",
                    Quantity.number(0, 1024),
                    0L,
                    "Threads that carry connections and sessions. 0: one per core.");

    static final Key<ServerConfig.Transport> SERVER_TRANSPORT =
            key(
                    "server.transport",
                    ValueType.oneOf(ServerConfig.Transport.class),
                    ServerConfig.Transport.AUTO,
                    "How sockets are driven. auto: epoll where it loads (Linux), else Java's NIO.");

    static final Key<Long> SERVER_OPEN_FILES_RESERVE =
            key(
                    "server.open-files-reserve",
                    Quantity.number(0, 1_000_000),
                    256L,
                    "Open files that clients never get, out of the process's limit (ulimit -n): store"
                            + " and cluster need some. At most a quarter of the limit is taken.");

    static final Key<SecurityConfig.Anonymous> SECURITY_ANONYMOUS =
            key(
                    "security.anonymous",
                    ValueType.oneOf(SecurityConfig.Anonymous.class),
                    SecurityConfig.Anonymous.LOOPBACK,
                    "Who may connect without being known: clients on this machine (loopback), nobody,"
                            + " or everyone who reaches a listener. User name and password are then"
                            + " accepted unread.");

    static final Key<Optional<BindAddress>> ADMIN_BIND =
            key(
                    "admin.bind",
                    ValueType.address(true),
                    Optional.of(new BindAddress("127.0.0.1", 8081)),
                    "Where health, metrics and the list of clients are served over HTTP, to anyone who"
                            + " reaches it.");

    static final Key<List<String>> ADMIN_HOSTS =
            key(
                    "admin.hosts",
                    ValueType.words(
                            "a list of *, or host names without a port",
                            text -> text.matches("\\*|[A-Za-z0-9._-]{1,253}")),
                    List.of(),
                    "Names by which the admin port may be asked (the Host of a request), beside"
                            + " addresses, localhost and this machine's name; * for any, which lets any"
                            + " web page that somebody has open in a browser here read it. /health is"
                            + " answered under every name.");

    static final Key<String> ADMIN_TOKEN =
            key(
                    "admin.token",
                    ValueType.secret(
                            "empty, or 16 to 256 characters without blanks",
                            text -> text.isEmpty() || text.matches("[!-~]{16,256}")),
                    "",
                    "Who sends Authorization: Bearer with this may let the broker do what the admin"
                            + " port can (a backup), from anywhere; others may not. Better in the"
                            + " environment (GODWIT_ADMIN_TOKEN) than here. Empty: it is asked for on"
                            + " this machine, with a header of its own that no web page can send.");

    static final Key<Long> ADMIN_REQUEST_TIMEOUT =
            key(
                    "admin.request-timeout",
                    Quantity.millis(100, 600_000),
                    10_000L,
                    "Time for a request, from its first byte until its client has taken the answer; a"
                            + " backup may work longer. Then the connection is closed. When many"
                            + " wait, those that have waited longest go first, sooner than this.");

    static final Key<LogConfig.Level> LOG_LEVEL =
            key(
                    "log.level",
                    ValueType.oneOf(LogConfig.Level.class),
                    LogConfig.Level.INFO,
                    "The least that is logged. debug: a line per connection; trace: one per packet.");

    static final Key<LogConfig.Format> LOG_FORMAT =
            key(
                    "log.format",
                    ValueType.oneOf(LogConfig.Format.class),
                    LogConfig.Format.TEXT,
                    "text for people, json (one object per line) for log collectors.");

    static final Key<Long> SYS_INTERVAL =
            key(
                    "sys.interval",
                    Quantity.seconds(1, DAY).orZero(),
                    10L,
                    "How often the $SYS topics are published. 0: there are none.");

    static final Key<Long> STOP_TIMEOUT =
            key(
                    "stop.timeout",
                    Quantity.millis(100, 3_600_000),
                    10_000L,
                    "How long an orderly stop may take (telling clients, wills, flushing). Keep it"
                            + " below what systemd or Kubernetes wait before they kill.");

    static final Key<Long> CLOCK_HOLD =
            key(
                    "session.clock-hold",
                    Quantity.millis(1_000, 86_400_000),
                    60_000L,
                    "How long a wall clock that has jumped must show its new time until sessions and"
                            + " messages expire by it. One that is behind what the store has seen"
                            + " when the broker starts is not believed until it has passed that.");

    static final Key<Long> RECEIVE_MAXIMUM =
            key(
                    "mqtt.receive-maximum",
                    Quantity.number(1, 0xFFFF),
                    (long) MQTT.receiveMaximum(),
                    "QoS 1 and 2 messages that a client may have sent without our acknowledgement"
                            + " (told to 5.0 clients).");

    static final Key<Long> IN_FLIGHT_3X =
            key(
                    "mqtt.in-flight-3x",
                    Quantity.number(1, 0xFFFF),
                    (long) MQTT.inFlight3x(),
                    "QoS 1 and 2 messages that we send to a client without its acknowledgement, if it"
                            + " speaks 3.1 or 3.1.1 (those can't ask for a number) or asks for more."
                            + " A small window slows a subscriber on a long line: window / round trip"
                            + " = messages per second. A tiny device that loses track of many may"
                            + " want 20, Mosquitto's default.");

    static final Key<Long> MAXIMUM_PACKET_SIZE =
            key(
                    "mqtt.maximum-packet-size",
                    Quantity.bytes(KIB, 268_435_460),
                    (long) MQTT.maximumPacketSize(),
                    "The largest packet that we accept, header included. The standard ends at 256 MiB;"
                            + " each packet is whole in memory before it is passed on, so raise it"
                            + " together with limits.partial-bytes.");

    static final Key<Long> MAXIMUM_QOS =
            key(
                    "mqtt.maximum-qos",
                    Quantity.number(0, 2),
                    (long) MQTT.maximumQos(),
                    "The highest QoS.");

    static final Key<Long> TOPIC_ALIAS_MAXIMUM =
            key(
                    "mqtt.topic-alias-maximum",
                    Quantity.number(0, 0xFFFF),
                    (long) MQTT.topicAliasMaximum(),
                    "Topic aliases that a 5.0 client may use towards us; each keeps a topic in memory."
                            + " 0: none.");

    static final Key<Long> TOPIC_ALIAS_MAXIMUM_OUTBOUND =
            key(
                    "mqtt.topic-alias-maximum-outbound",
                    Quantity.number(0, 0xFFFF),
                    (long) MQTT.topicAliasMaximumOutbound(),
                    "Topic aliases that we use towards one client, if it allows that many. 0: none.");

    static final Key<Long> KEEP_ALIVE_MAXIMUM =
            key(
                    "mqtt.keep-alive-maximum",
                    Quantity.seconds(1, 0xFFFF).orZero(),
                    (long) MQTT.keepAliveMaximum(),
                    "The longest keep alive: a client that asks for more, or for none, gets this one."
                            + " 0: any, and a client without one is never closed for silence.");

    static final Key<Long> SESSION_EXPIRY_MAXIMUM =
            key(
                    "mqtt.session-expiry-maximum",
                    Quantity.seconds(0, 0xFFFF_FFFFL).orNever(0xFFFF_FFFFL),
                    MQTT.sessionExpiryMaximum(),
                    "The longest time that a session outlives its connection, whatever the client asks"
                            + " for. never: until it comes back.");

    static final Key<Long> SESSION_EXPIRY_3X =
            key(
                    "mqtt.session-expiry-3x",
                    Quantity.seconds(0, 0xFFFF_FFFFL).orNever(0xFFFF_FFFFL),
                    MQTT.sessionExpiry3x(),
                    "How long the session of a 3.1 or 3.1.1 client with clean session 0 outlives its"
                            + " connection: they can't say it. The standard knows no end, but then a"
                            + " device that was scrapped fills its queue for ever. The maximum above"
                            + " bounds it too.");

    static final Key<Boolean> RETAIN_AVAILABLE =
            key(
                    "mqtt.retain-available",
                    ValueType.bool(),
                    MQTT.retainAvailable(),
                    "Whether messages may be retained.");

    static final Key<Boolean> WILDCARD_SUBSCRIPTIONS =
            key(
                    "mqtt.wildcard-subscriptions",
                    ValueType.bool(),
                    MQTT.wildcardSubscriptions(),
                    "Whether filters may contain + and #.");

    static final Key<Boolean> SHARED_SUBSCRIPTIONS =
            key(
                    "mqtt.shared-subscriptions",
                    ValueType.bool(),
                    MQTT.sharedSubscriptions(),
                    "Whether $share/<group>/<filter> may be subscribed to (3.1.1 clients too).");

    static final Key<SharedStrategy> SHARED_STRATEGY =
            key(
                    "mqtt.shared-strategy",
                    ValueType.oneOf(SharedStrategy.class),
                    MQTT.sharedStrategy(),
                    "Which member of a group gets a message. sticky: the same one until it is gone or"
                            + " has no room; hash-client: by the publisher's client id.");

    static final Key<Boolean> SUBSCRIPTION_IDENTIFIERS =
            key(
                    "mqtt.subscription-identifiers",
                    ValueType.bool(),
                    MQTT.subscriptionIdentifiers(),
                    "Whether 5.0 clients may number their subscriptions.");

    static final Key<String> RESPONSE_INFORMATION =
            key(
                    "mqtt.response-information",
                    ValueType.text(
                            "up to 1024 characters",
                            text -> text.length() <= 1024 && text.indexOf('\0') < 0),
                    MQTT.responseInformation(),
                    "Told to 5.0 clients that ask for it, as the beginning of their response topics."
                            + " Empty: nothing is told.");

    static final Key<Long> CONNECTIONS =
            key(
                    "limits.connections",
                    Quantity.number(1, 10_000_000),
                    (long) LIMITS.connections(),
                    "Connections of the node. What the limit of open files leaves may be less; then"
                            + " that counts.");

    static final Key<Long> CONNECT_RATE =
            key(
                    "limits.connect-rate",
                    Quantity.number(0, 1_000_000),
                    (long) LIMITS.connectRate(),
                    "Connections accepted per second, two seconds' worth at once. 0: any.");

    static final Key<Long> CONNECT_TIMEOUT =
            key(
                    "limits.connect-timeout",
                    Quantity.millis(100, 600_000),
                    LIMITS.connectTimeoutMs(),
                    "Time for a new connection to get through TLS, WebSocket and CONNECT.");

    static final Key<Long> CONNECT_PACKET_SIZE =
            key(
                    "limits.connect-packet-size",
                    Quantity.bytes(KIB, 268_435_460),
                    (long) LIMITS.packets().connectBytes(),
                    "The largest packet of a client that is not known yet: CONNECT, with its will, and"
                            + " AUTH. mqtt.maximum-packet-size bounds it too.");

    static final Key<Long> PACKET_TIMEOUT =
            key(
                    "limits.packet-timeout",
                    Quantity.millis(1_000, 86_400_000),
                    LIMITS.packets().timeoutMs(),
                    "Time for a packet, from its first byte to its last; then its connection is closed"
                            + " with 0x97. Much sooner, after a second, when the packets that have"
                            + " arrived in part take more than half of limits.partial-bytes and"
                            + " this one makes no progress.");

    static final Key<Long> USER_PROPERTIES =
            key(
                    "limits.user-properties",
                    Quantity.number(0, 1_000_000),
                    (long) LIMITS.packets().userProperties(),
                    "User Properties of one packet; who sends more is closed with 0x97.");

    static final Key<Long> SUBSCRIBE_FILTERS =
            key(
                    "limits.subscribe-filters",
                    Quantity.number(1, 1_000_000),
                    (long) LIMITS.packets().filters(),
                    "Filters of one SUBSCRIBE or UNSUBSCRIBE; who sends more is closed with 0x97.");

    static final Key<Long> TOPIC_LEVELS =
            key(
                    "limits.topic-levels",
                    Quantity.number(1, 0xFFFF),
                    (long) LIMITS.topicLevels(),
                    "Levels (a/b/c has three) of a topic name or filter.");

    static final Key<Long> SUBSCRIPTIONS_PER_CLIENT =
            key(
                    "limits.subscriptions-per-client",
                    Quantity.number(1, 100_000_000),
                    (long) LIMITS.subscriptionsPerClient(),
                    "Filters of one session; those beyond are refused with 0x97 (quota exceeded).");

    static final Key<Long> SUBSCRIPTION_BYTES =
            key(
                    "limits.subscription-bytes",
                    Quantity.bytes(KIB, 1L << 40),
                    LIMITS.clients().subscriptionBytes(),
                    "The bytes of those filters; the ones beyond are refused in the same way.");

    static final Key<Long> WILL_BYTES =
            key(
                    "limits.will-bytes",
                    Quantity.bytes(0, 268_435_460),
                    (long) LIMITS.clients().willBytes(),
                    "Topic, payload and properties of a will; a CONNECT with a larger one is refused"
                            + " with 0x97 (3.x: 3). limits.connect-packet-size bounds it too.");

    static final Key<Long> SESSION_BYTES =
            key(
                    "limits.session-bytes",
                    Quantity.bytes(MIB, 1L << 44).orZero(),
                    0L,
                    "Sessions of the node with their filters and wills, in memory. Beyond it a new"
                            + " session, or one more filter, is refused with 0x97 (3.x: 3, 0x80)."
                            + " 0: a quarter of the Java heap.");

    static final Key<Long> QUEUE_MESSAGES =
            key(
                    "limits.queue-messages",
                    Quantity.number(1, 100_000_000),
                    (long) LIMITS.queueMessages(),
                    "QoS 1 and 2 messages that wait in memory for one transient session (expiry 0;"
                            + " 3.x: clean session 1), those in flight not counted. When it is full"
                            + " the newest is discarded and counted. A client that is online but slow"
                            + " is bounded by this: 10 000 are some seconds of a busy topic. Durable"
                            + " sessions have queues.messages instead.");

    static final Key<Long> QUEUE_BYTES =
            key(
                    "limits.queue-bytes",
                    Quantity.bytes(KIB, 1L << 40),
                    LIMITS.queueBytes(),
                    "The same in bytes; whichever is reached first.");

    static final Key<Long> RETAINED_MESSAGES =
            key(
                    "limits.retained-messages",
                    Quantity.number(0, 1_000_000_000),
                    (long) LIMITS.retainedMessages(),
                    "Retained messages, one per topic. When it is full a message for a new topic is"
                            + " delivered but not retained, and counted.");

    static final Key<Long> RETAINED_BYTES =
            key(
                    "limits.retained-bytes",
                    Quantity.bytes(KIB, 1L << 40).orZero(),
                    0L,
                    "Their topics, payloads and properties. 0: an eighth of the Java heap.");

    static final Key<Long> PARTIAL_BYTES =
            key(
                    "limits.partial-bytes",
                    Quantity.bytes(KIB, 1L << 40).orZero(),
                    0L,
                    "Packets that have arrived only in part, of all connections together: a bound for"
                            + " what clients that hold back the last byte can take. A quarter of it is"
                            + " for packets that hold less than 256 KiB. 0: a quarter of the network"
                            + " buffers' memory, and two packets of the largest size at least.");

    static final Key<Long> QOS0_SOFT_LIMIT =
            key(
                    "overload.qos0-soft-limit",
                    Quantity.number(0, 100_000_000),
                    (long) OVERLOAD.qos0SoftLimit(),
                    "When a subscriber reads too slowly and more than this many messages wait for it,"
                            + " QoS 0 messages are dropped and counted. 0: nothing is dropped, its"
                            + " publishers are slowed instead.");

    static final Key<Long> WRITE_HIGH_WATER =
            key(
                    "overload.write-high-water",
                    Quantity.bytes(KIB, 1L << 30),
                    (long) OVERLOAD.writeHighWater(),
                    "Bytes that wait in one connection's socket queue when it counts as too slow.");

    static final Key<Long> WRITE_LOW_WATER =
            key(
                    "overload.write-low-water",
                    Quantity.bytes(0, 1L << 30),
                    (long) OVERLOAD.writeLowWater(),
                    "Bytes at which it counts as fast enough again; below the high mark.");

    static final Key<Long> OUTBOUND_BYTES =
            key(
                    "overload.outbound-bytes",
                    Quantity.bytes(MIB, 1L << 44).orZero(),
                    0L,
                    "Outgoing buffers of all connections together. From half of it a connection that"
                            + " reads slowly may hold 64 KiB only, and the rest of its messages"
                            + " waits in its queue; from three quarters those that hold most are"
                            + " closed with 0x97. 0: half of the network buffers' memory.");

    static final Key<Long> MAILBOX_HIGH_WATER =
            key(
                    "overload.mailbox-high-water",
                    Quantity.number(100, 100_000_000),
                    (long) OVERLOAD.mailboxHighWater(),
                    "Messages under way to one shard when publishers are no longer read.");

    static final Key<Long> MEMORY_BYTES =
            key(
                    "overload.memory-bytes",
                    Quantity.bytes(MIB, 1L << 44).orZero(),
                    0L,
                    "Bytes in queues, mailboxes, partial packets and socket queues when publishers are"
                            + " stopped until it is 80 % of that. 0: half of the Java heap.");

    static final Key<Long> STUCK_TIME =
            key(
                    "overload.stuck-time",
                    Quantity.millis(1_000, 86_400_000),
                    OVERLOAD.stuckMs(),
                    "While publishers are stopped since memory is short: a subscriber with messages"
                            + " in memory that acknowledges nothing and takes no byte for so long"
                            + " is disconnected with 0x97. What is durable waits on the disk.");

    static final Key<Long> PARKED_BYTES =
            key(
                    "overload.parked-bytes",
                    Quantity.bytes(0, 1L << 30),
                    OVERLOAD.parkedBytes(),
                    "While publishers are stopped, a client that also receives is still read: this much"
                            + " of what it publishes waits unacknowledged before it is stopped too.");

    static final Key<Long> SLICE =
            key(
                    "overload.slice",
                    Quantity.micros(50, 100_000),
                    OVERLOAD.sliceMicros(),
                    "How long one piece of work (a fan-out to thousands) may keep a shard from others.");

    static {
        ALL = Stream.concat(DECLARED.stream(), StoreKeys.ALL.stream()).toList();
    }

    private Keys() {}

    private static <T> Key<T> key(String name, ValueType<T> type, T fallback, String meaning) {
        Key<T> key = new Key<>(name, type, fallback, meaning);
        DECLARED.add(key);
        return key;
    }
}
