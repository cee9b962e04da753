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
                    "QoS 1 and 2 messages that a client may have sent without our acknowledgement"
                            + " (told to 5.0 clients).");

    static final Key<Long> IN_FLIGHT_3X =
            TABLE.key(
                    "mqtt.in-flight-3x",
                    Quantity.number(1, 0xFFFF),
                    (long) MQTT.inFlight3x(),
                    "QoS 1 and 2 messages that we send to a client without its acknowledgement, if it"
                            + " speaks 3.1 or 3.1.1 (those can't ask for a number) or asks for more."
                            + " A small window slows a subscriber on a long line: window / round trip"
                            + " = messages per second. A tiny device that loses track of many may"
                            + " want 20, Mosquitto's default.");

    static final Key<Long> MAXIMUM_PACKET_SIZE =
            TABLE.key(
                    "mqtt.maximum-packet-size",
                    Quantity.bytes(KIB, 268_435_460),
                    (long) MQTT.maximumPacketSize(),
                    "The largest packet that we accept, header included. The standard ends at 256 MiB;"
                            + " each packet is whole in memory before it is passed on, so raise it"
                            + " together with limits.partial-bytes.");

    static final Key<Long> MAXIMUM_QOS =
            TABLE.key(
                    "mqtt.maximum-qos",
                    Quantity.number(0, 2),
                    (long) MQTT.maximumQos(),
                    "The highest QoS.");

    static final Key<Long> TOPIC_ALIAS_MAXIMUM =
            TABLE.key(
                    "mqtt.topic-alias-maximum",
                    Quantity.number(0, 0xFFFF),
                    (long) MQTT.topicAliasMaximum(),
                    "Topic aliases that a 5.0 client may use towards us; each keeps a topic in memory."
                            + " 0: none.");

    static final Key<Long> TOPIC_ALIAS_MAXIMUM_OUTBOUND =
            TABLE.key(
                    "mqtt.topic-alias-maximum-outbound",
                    Quantity.number(0, 0xFFFF),
                    (long) MQTT.topicAliasMaximumOutbound(),
                    "Topic aliases that we use towards one client, if it allows that many. 0: none.");

    static final Key<Long> KEEP_ALIVE_MAXIMUM =
            TABLE.key(
                    "mqtt.keep-alive-maximum",
                    Quantity.seconds(1, 0xFFFF).orZero(),
                    (long) MQTT.keepAliveMaximum(),
                    "The longest keep alive: a client that asks for more, or for none, gets this one."
                            + " 0: any, and a client without one is never closed for silence.");

    static final Key<Long> SESSION_EXPIRY_MAXIMUM =
            TABLE.key(
                    "mqtt.session-expiry-maximum",
                    Quantity.seconds(0, 0xFFFF_FFFFL).orNever(0xFFFF_FFFFL),
                    MQTT.sessionExpiryMaximum(),
                    "The longest time that a session outlives its connection, whatever the client asks"
                            + " for. never: until it comes back.");

    static final Key<Long> SESSION_EXPIRY_3X =
            TABLE.key(
                    "mqtt.session-expiry-3x",
                    Quantity.seconds(0, 0xFFFF_FFFFL).orNever(0xFFFF_FFFFL),
                    MQTT.sessionExpiry3x(),
                    "How long the session of a 3.1 or 3.1.1 client with clean session 0 outlives its"
                            + " connection: they can't say it. The standard knows no end, but then a"
                            + " device that was scrapped fills its queue for ever. The maximum above"
                            + " bounds it too.");

    static final Key<Boolean> RETAIN_AVAILABLE =
            TABLE.key(
                    "mqtt.retain-available",
                    ValueType.bool(),
                    MQTT.retainAvailable(),
                    "Whether messages may be retained.");

    static final Key<Boolean> WILDCARD_SUBSCRIPTIONS =
            TABLE.key(
                    "mqtt.wildcard-subscriptions",
                    ValueType.bool(),
                    MQTT.wildcardSubscriptions(),
                    "Whether filters may contain + and #.");

    static final Key<Boolean> SHARED_SUBSCRIPTIONS =
            TABLE.key(
                    "mqtt.shared-subscriptions",
                    ValueType.bool(),
                    MQTT.sharedSubscriptions(),
                    "Whether $share/<group>/<filter> may be subscribed to (3.1.1 clients too).");

    static final Key<SharedStrategy> SHARED_STRATEGY =
            TABLE.key(
                    "mqtt.shared-strategy",
                    ValueType.oneOf(SharedStrategy.class),
                    MQTT.sharedStrategy(),
                    "Which member of a group gets a message. sticky: the same one until it is gone or"
                            + " has no room; hash-client: by the publisher's client id.");

    static final Key<Boolean> SUBSCRIPTION_IDENTIFIERS =
            TABLE.key(
                    "mqtt.subscription-identifiers",
                    ValueType.bool(),
                    MQTT.subscriptionIdentifiers(),
                    "Whether 5.0 clients may number their subscriptions.");

    static final Key<String> RESPONSE_INFORMATION =
            TABLE.key(
                    "mqtt.response-information",
                    ValueType.text(
                            "up to 1024 characters",
                            text -> text.length() <= 1024 && text.indexOf('\0') < 0),
                    MQTT.responseInformation(),
                    "Told to 5.0 clients that ask for it, as the beginning of their response topics."
                            + " Empty: nothing is told.");

    private MqttKeys() {}
}
