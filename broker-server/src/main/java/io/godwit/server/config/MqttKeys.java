package io.godwit.server.config;

import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.SharedStrategy;
import java.util.List;

/** The section {@code mqtt} of {@link Keys}: what clients are told and promised. */
final class MqttKeys {
    private static final long KIB = 1L << 10;
    private static final MqttSettings MQTT = MqttSettings.DEFAULTS;

    private static final KeyTable TABLE = new KeyTable();

    /** In the order of the file. */
    static final List<Key<?>> ALL = TABLE.keys();

    static final Key<Long> RECEIVE_MAXIMUM =
            TABLE.key(
                    "mqtt.receive-maximum",
                    Quantity.number(1, 0xFFFF),
                    (long) MQTT.receiveMaximum(),
                    "QoS 1 and 2 messages that a client may send before the broker acknowledges"
                            + " them (Receive Maximum for 5.0 clients).");

    static final Key<Long> IN_FLIGHT_3X =
            TABLE.key(
                    "mqtt.in-flight-3x",
                    Quantity.number(1, 0xFFFF),
                    (long) MQTT.inFlight3x(),
                    "QoS 1 and 2 messages in flight to a client: for 3.1 and 3.1.1 clients, which"
                            + " cannot ask for a number, and for 5.0 clients that ask for more. A"
                            + " small number slows a subscriber on a slow line: messages per"
                            + " second = in flight / round trip. A tiny device that cannot keep"
                            + " track of many may need 20, Mosquitto's default.");

    static final Key<Long> MAXIMUM_PACKET_SIZE =
            TABLE.key(
                    "mqtt.maximum-packet-size",
                    Quantity.bytes(KIB, 268_435_460),
                    (long) MQTT.maximumPacketSize(),
                    "The largest packet that the broker accepts, header included. The standard "
                            + "allows 256 MiB; a packet is in memory as a whole before it is handled, so "
                            + "raise limits.partial-bytes together with it.");

    static final Key<Long> MAXIMUM_QOS =
            TABLE.key(
                    "mqtt.maximum-qos",
                    Quantity.number(0, 2),
                    (long) MQTT.maximumQos(),
                    "The highest QoS that is supported.");

    static final Key<Long> TOPIC_ALIAS_MAXIMUM =
            TABLE.key(
                    "mqtt.topic-alias-maximum",
                    Quantity.number(0, 0xFFFF),
                    (long) MQTT.topicAliasMaximum(),
                    "Topic aliases that a 5.0 client may use when it publishes; each keeps a topic "
                            + "in memory. 0: none.");

    static final Key<Long> TOPIC_ALIAS_MAXIMUM_OUTBOUND =
            TABLE.key(
                    "mqtt.topic-alias-maximum-outbound",
                    Quantity.number(0, 0xFFFF),
                    (long) MQTT.topicAliasMaximumOutbound(),
                    "Topic aliases that the broker uses towards one client, if the client allows "
                            + "that many. 0: none.");

    static final Key<Long> KEEP_ALIVE_MAXIMUM =
            TABLE.key(
                    "mqtt.keep-alive-maximum",
                    Quantity.seconds(1, 0xFFFF).orZero(),
                    (long) MQTT.keepAliveMaximum(),
                    "The longest keep alive: a client that asks for a longer one, or for none, is "
                            + "given this one. 0: no limit, and a client without keep alive is never closed "
                            + "for being silent.");

    static final Key<Long> SESSION_EXPIRY_MAXIMUM =
            TABLE.key(
                    "mqtt.session-expiry-maximum",
                    Quantity.seconds(0, 0xFFFF_FFFFL).orNever(0xFFFF_FFFFL),
                    MQTT.sessionExpiryMaximum(),
                    "The longest time that a session is kept after its connection has ended, "
                            + "whatever the client asks for. never: until the client returns.");

    static final Key<Long> SESSION_EXPIRY_3X =
            TABLE.key(
                    "mqtt.session-expiry-3x",
                    Quantity.seconds(0, 0xFFFF_FFFFL).orNever(0xFFFF_FFFFL),
                    MQTT.sessionExpiry3x(),
                    "How long the session of a 3.1 or 3.1.1 client with clean session 0 is kept "
                            + "after its connection has ended; these clients cannot ask for a time. The "
                            + "standard has no limit, but then a scrapped device fills its queue for ever. "
                            + "mqtt.session-expiry-maximum applies too.");

    static final Key<Boolean> RETAIN_AVAILABLE =
            TABLE.key(
                    "mqtt.retain-available",
                    ValueType.bool(),
                    MQTT.retainAvailable(),
                    "Whether retained messages are supported.");

    static final Key<Boolean> WILDCARD_SUBSCRIPTIONS =
            TABLE.key(
                    "mqtt.wildcard-subscriptions",
                    ValueType.bool(),
                    MQTT.wildcardSubscriptions(),
                    "Whether topic filters may contain + and #.");

    static final Key<Boolean> SHARED_SUBSCRIPTIONS =
            TABLE.key(
                    "mqtt.shared-subscriptions",
                    ValueType.bool(),
                    MQTT.sharedSubscriptions(),
                    "Whether shared subscriptions, $share/<group>/<filter>, are supported (for "
                            + "3.1.1 clients too).");

    static final Key<SharedStrategy> SHARED_STRATEGY =
            TABLE.key(
                    "mqtt.shared-strategy",
                    ValueType.oneOf(SharedStrategy.class),
                    MQTT.sharedStrategy(),
                    "Which member of a shared subscription gets a message. sticky: the same one "
                            + "until it leaves or has no room; hash-client: chosen by the publisher's client "
                            + "id; hash-topic: by the topic.");

    static final Key<Boolean> SUBSCRIPTION_IDENTIFIERS =
            TABLE.key(
                    "mqtt.subscription-identifiers",
                    ValueType.bool(),
                    MQTT.subscriptionIdentifiers(),
                    "Whether 5.0 clients may use subscription identifiers.");

    static final Key<String> RESPONSE_INFORMATION =
            TABLE.key(
                    "mqtt.response-information",
                    ValueType.text(
                            "up to 1024 characters",
                            text -> text.length() <= 1024 && text.indexOf('\0') < 0),
                    MQTT.responseInformation(),
                    "Response Information for 5.0 clients that ask for it: the beginning of their "
                            + "response topics. Empty: none is sent.");

    static final Key<ControlCharacters> CONTROL_CHARACTERS =
            TABLE.key(
                    "mqtt.control-characters",
                    ValueType.oneOf(ControlCharacters.class),
                    ControlCharacters.REFUSE,
                    "Whether strings may have control characters (U+0001 to U+001F, U+007F to "
                            + "U+009F) and non-characters (such as U+FFFF). The standard allows both; "
                            + "Mosquitto's clients and bridges close the connection when they receive "
                            + "one, for ever if the message is retained. refuse: closed with 0x90 for a "
                            + "topic name or the topic of a will, refused with 0x85 for a client id and "
                            + "0x86 for a user name, closed with 0x81 for any other string, User "
                            + "Properties included; a filter of a SUBSCRIBE is refused in SUBACK with "
                            + "0x8F. Clients of 3.x are closed, or get 2 or 4 in CONNACK and 0x80 in "
                            + "SUBACK. UNSUBSCRIBE may still name such a filter. Messages that were stored or "
                            + "retained before are delivered all the same: to remove a retained one, set "
                            + "allow and publish an empty retained message to its topic. The same on all "
                            + "nodes of a cluster. U+0000 is never allowed.");

    /** Whether control characters are refused or allowed. */
    enum ControlCharacters {
        REFUSE,
        ALLOW
    }

    private MqttKeys() {}
}
