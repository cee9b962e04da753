package io.godwit.server.extension.call;

import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Subject;
import io.godwit.core.codec.TopicCheck;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.packet.Will;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.extension.client.Client;
import io.godwit.extension.client.Origin;
import io.godwit.extension.packet.Bytes;
import io.godwit.extension.packet.ConnectPacket;
import io.godwit.extension.packet.MqttVersion;
import io.godwit.extension.packet.PublishPacket;
import io.godwit.extension.packet.SubscribePacket;
import io.godwit.extension.packet.Subscription;
import io.godwit.extension.packet.UnsubscribePacket;
import io.godwit.extension.packet.UserProperty;
import io.godwit.extension.packet.WillPacket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns packets of the broker into those that extensions see, and back: then they are checked. */
public final class Packets {
    private static final int PACKET_PROPERTIES = 64;
    private static final int SUBSCRIPTION_ID_MAX = 268_435_455;
    private static final int RECEIVE_MAXIMUM = 65_535;

    private Packets() {}

    // ---------------------------------------------------------------- to extensions

    static MqttVersion version(ProtocolVersion version) {
        return switch (version) {
            case MQTT_3_1 -> MqttVersion.V3_1;
            case MQTT_3_1_1 -> MqttVersion.V3_1_1;
            case MQTT_5 -> MqttVersion.V5;
        };
    }

    static Client client(Subject subject, ProtocolVersion version) {
        return new Client(
                subject.clientId().toString(),
                version(version),
                subject.identity().userName(),
                subject.identity().groups(),
                subject.identity().attributes(),
                origin(subject.peer()));
    }

    static Origin origin(Peer peer) {
        return new Origin(
                peer.remoteAddress(),
                peer.listener(),
                peer.hasCertificate(),
                peer.certificateName());
    }

    static ConnectPacket connect(Packet.Connect connect) {
        Properties properties = connect.properties();
        byte[] data = properties.binary(Property.AUTHENTICATION_DATA);
        Will will = connect.will();
        byte[] password = connect.password();
        return new ConnectPacket(
                version(connect.version()),
                connect.clientId().toString(),
                connect.cleanStart(),
                connect.keepAliveSeconds(),
                properties.number(Property.SESSION_EXPIRY_INTERVAL, 0),
                (int) properties.number(Property.RECEIVE_MAXIMUM, RECEIVE_MAXIMUM),
                connect.userName(),
                password == null ? null : Bytes.copyOf(password),
                will == null ? null : new WillPacket(publish(reviewed(will)), will.delaySeconds()),
                properties.text(Property.AUTHENTICATION_METHOD),
                data == null ? null : Bytes.copyOf(data),
                users(properties));
    }

    static List<UserProperty> users(Properties properties) {
        if (properties.userCount() == 0) {
            return List.of();
        }
        return properties.userProperties().stream()
                .map(each -> new UserProperty(each.name(), each.value()))
                .toList();
    }

    static PublishPacket publish(ReviewedPublish publish) {
        PublishPacket.Builder to =
                PublishPacket.to(publish.topic().toString())
                        .qos(publish.qos())
                        .received(publish.packetId(), publish.dup())
                        .retain(publish.retain())
                        .payload(Bytes.wrap(publish.payload()))
                        .payloadIsText(publish.payloadIsText());
        if (publish.expirySeconds() >= 0) {
            to.expirySeconds(publish.expirySeconds());
        }
        if (publish.properties().length > 0) {
            readProperties(publish.properties(), to);
        }
        return to.build();
    }

    static PublishPacket retained(ExtensionRetained.RetainedMessage message) {
        return publish(
                new ReviewedPublish(
                        message.topic(),
                        message.payload(),
                        message.properties(),
                        message.qos(),
                        true,
                        false,
                        message.expirySeconds(),
                        false,
                        0));
    }

    /** Reads properties that the broker has checked when they came. */
    private static void readProperties(byte[] bytes, PublishPacket.Builder to) {
        List<UserProperty> users = new ArrayList<>();
        int at = 0;
        while (at < bytes.length) {
            int id = bytes[at++];
            if (id == Property.PAYLOAD_FORMAT_INDICATOR.id()) {
                to.payloadIsText(bytes[at++] == 1);
                continue;
            }
            int length = length(bytes, at);
            if (id == Property.CONTENT_TYPE.id()) {
                to.contentType(text(bytes, at, length));
            } else if (id == Property.RESPONSE_TOPIC.id()) {
                to.responseTopic(text(bytes, at, length));
            } else if (id == Property.CORRELATION_DATA.id()) {
                to.correlationData(Bytes.wrap(Arrays.copyOfRange(bytes, at + 2, at + 2 + length)));
            } else if (id == Property.USER_PROPERTY.id()) {
                String name = text(bytes, at, length);
                at += 2 + length;
                length = length(bytes, at);
                users.add(new UserProperty(name, text(bytes, at, length)));
            } else {
                throw new IllegalStateException("property " + id + " of a PUBLISH");
            }
            at += 2 + length;
        }
        to.userProperties(users);
    }

    private static int length(byte[] bytes, int at) {
        return (bytes[at] & 0xFF) << 8 | bytes[at + 1] & 0xFF;
    }

    private static String text(byte[] bytes, int at, int length) {
        return new String(bytes, at + 2, length, StandardCharsets.UTF_8);
    }

    /** Returns a will as a PUBLISH of its client. */
    static ReviewedPublish reviewed(Will will) {
        Properties from = will.properties();
        boolean isText = from.number(Property.PAYLOAD_FORMAT_INDICATOR, 0) == 1;
        byte[] properties = PublishFrame.NO_PROPERTIES;
        if (!from.isEmpty()) {
            ByteWriter to = new ByteWriter(PACKET_PROPERTIES + from.userBytes().length);
            writeFormat(to, isText);
            write(to, Property.CONTENT_TYPE, from.text(Property.CONTENT_TYPE));
            write(to, Property.RESPONSE_TOPIC, from.text(Property.RESPONSE_TOPIC));
            byte[] data = from.binary(Property.CORRELATION_DATA);
            if (data != null) {
                write(to, Property.CORRELATION_DATA, data);
            }
            to.raw(from.userBytes());
            properties = to.toBytes();
        }
        return new ReviewedPublish(
                will.topic(),
                will.payload(),
                properties,
                will.qos(),
                will.retain(),
                false,
                from.number(Property.MESSAGE_EXPIRY_INTERVAL, -1),
                isText,
                0);
    }

    static SubscribePacket subscribe(Packet.Subscribe subscribe) {
        return new SubscribePacket(
                subscribe.packetId(),
                subscribe.subscriptions().stream().map(Packets::subscription).toList(),
                (int) subscribe.properties().number(Property.SUBSCRIPTION_IDENTIFIER, 0),
                users(subscribe.properties()));
    }

    static Subscription subscription(Packet.Subscription from) {
        return new Subscription(
                from.filter().toString(),
                from.qos(),
                from.noLocal(),
                from.retainAsPublished(),
                from.retainHandling());
    }

    // ---------------------------------------------------------------- from extensions

    /**
     * Returns what an extension publishes.
     *
     * @param bytesMax of topic, payload and properties together
     * @throws IllegalArgumentException says what is not allowed
     */
    public static ReviewedPublish published(PublishPacket made, int bytesMax) {
        try {
            return reviewed(made, null, null, bytesMax);
        } catch (BadAnswer bad) {
            throw new IllegalArgumentException(bad.getMessage());
        }
    }

    /**
     * Returns what an extension has made of a PUBLISH.
     *
     * @param shown keeps its Packet Identifier and DUP flag; null: nothing was shown
     * @param before the packet that was shown
     * @param bytesMax of topic, payload and properties together
     */
    static ReviewedPublish reviewed(
            PublishPacket made,
            @Nullable ReviewedPublish shown,
            @Nullable PublishPacket before,
            int bytesMax)
            throws BadAnswer {
        byte[] topic = Utf8Text.of(made.topic(), "topic");
        if (!TopicCheck.isTopicName(topic)) {
            throw new BadAnswer("topic is empty or has a wildcard");
        }
        if (made.payload() == null || made.userProperties() == null) {
            throw new BadAnswer("payload or user properties are null");
        }
        byte[] properties = properties(made, bytesMax);
        long bytes = (long) topic.length + made.payload().length() + properties.length;
        if (bytes > bytesMax) {
            throw new BadAnswer(
                    "a PUBLISH of " + bytes + " bytes; " + bytesMax + " are allowed in a packet");
        }
        return new ReviewedPublish(
                shown != null && Arrays.equals(topic, shown.topic().bytes())
                        ? shown.topic()
                        : new Topic(topic),
                shown != null && before != null && made.payload() == before.payload()
                        ? shown.payload()
                        : made.payload().toArray(),
                properties,
                made.qos(),
                made.retain(),
                shown != null && shown.dup(),
                made.expirySeconds().orElse(-1),
                made.payloadIsText(),
                shown == null ? 0 : shown.packetId());
    }

    private static byte[] properties(PublishPacket made, int bytesMax) throws BadAnswer {
        boolean hasNone =
                !made.payloadIsText()
                        && made.contentType().isEmpty()
                        && made.responseTopic().isEmpty()
                        && made.correlationData().isEmpty()
                        && made.userProperties().isEmpty();
        if (hasNone) {
            return PublishFrame.NO_PROPERTIES;
        }
        ByteWriter to = new ByteWriter(PACKET_PROPERTIES);
        writeFormat(to, made.payloadIsText());
        if (made.contentType().isPresent()) {
            write(to, Property.CONTENT_TYPE, Utf8Text.of(made.contentType().get(), "content type"));
        }
        if (made.responseTopic().isPresent()) {
            byte[] topic = Utf8Text.of(made.responseTopic().get(), "response topic");
            if (!TopicCheck.isTopicName(topic)) {
                throw new BadAnswer("response topic is empty or has a wildcard");
            }
            write(to, Property.RESPONSE_TOPIC, topic);
        }
        if (made.correlationData().isPresent()) {
            write(
                    to,
                    Property.CORRELATION_DATA,
                    binary(made.correlationData().get(), "correlation data"));
        }
        for (UserProperty each : made.userProperties()) {
            write(to, Property.USER_PROPERTY, Utf8Text.of(each.name(), "user property's name"));
            byte[] value = Utf8Text.of(each.value(), "user property's value");
            to.u16(value.length).raw(value);
            if (to.length() > bytesMax) {
                throw new BadAnswer("more than " + bytesMax + " bytes of properties");
            }
        }
        return to.toBytes();
    }

    /** Returns Binary Data. */
    static byte[] binary(Bytes data, String name) throws BadAnswer {
        if (data.length() > Utf8Text.BYTES_MAX) {
            throw new BadAnswer(
                    name
                            + " has "
                            + data.length()
                            + " bytes; "
                            + Utf8Text.BYTES_MAX
                            + " are allowed");
        }
        return data.toArray();
    }

    private static void writeFormat(ByteWriter to, boolean isText) {
        if (isText) {
            to.u8(Property.PAYLOAD_FORMAT_INDICATOR.id()).u8(1);
        }
    }

    private static void write(ByteWriter to, Property property, @Nullable String text) {
        if (text != null) {
            write(to, property, text.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static void write(ByteWriter to, Property property, byte[] bytes) {
        to.u8(property.id()).u16(bytes.length).raw(bytes);
    }

    /** Returns what an extension has made of a SUBSCRIBE. */
    static Packet.Subscribe subscribe(SubscribePacket made, Packet.Subscribe shown)
            throws BadAnswer {
        int filters = shown.subscriptions().size();
        if (made.subscriptions().size() != filters) {
            throw new BadAnswer(
                    "a SUBSCRIBE with "
                            + made.subscriptions().size()
                            + " filters; it must have those "
                            + filters
                            + " of the client");
        }
        int id = made.subscriptionId();
        if (id < 0 || id > SUBSCRIPTION_ID_MAX) {
            throw new BadAnswer("subscription identifier " + id);
        }
        List<Packet.Subscription> subscriptions = new ArrayList<>(filters);
        for (int i = 0; i < filters; i++) {
            subscriptions.add(
                    subscription(made.subscriptions().get(i), shown.subscriptions().get(i)));
        }
        Properties properties = shown.properties();
        if (id != properties.number(Property.SUBSCRIPTION_IDENTIFIER, 0)) {
            Properties.Builder changed =
                    Properties.builder()
                            .addAll(properties.without(Property.SUBSCRIPTION_IDENTIFIER));
            if (id != 0) {
                changed.add(Property.SUBSCRIPTION_IDENTIFIER, id);
            }
            properties = changed.build();
        }
        return new Packet.Subscribe(
                shown.packetId(),
                subscriptions,
                shown.filtersBeyond(),
                withUsers(properties, made.userProperties()));
    }

    private static Properties withUsers(Properties properties, List<UserProperty> users)
            throws BadAnswer {
        if (users.equals(users(properties))) {
            return properties;
        }
        Properties.Builder to = Properties.builder().addAll(properties.withoutUsers());
        MadeConnect.addUsers(users, to);
        return to.build();
    }

    private static Packet.Subscription subscription(Subscription made, Packet.Subscription shown)
            throws BadAnswer {
        byte[] bytes = Utf8Text.of(made.topicFilter(), "topic filter");
        if (!TopicCheck.isTopicFilter(bytes)) {
            throw new BadAnswer("topic filter is not well-formed");
        }
        TopicFilter filter =
                Arrays.equals(bytes, shown.filter().bytes())
                        ? shown.filter()
                        : new TopicFilter(bytes);
        if (made.noLocal() && filter.isShared()) {
            throw new BadAnswer("a shared subscription cannot be No Local");
        }
        return new Packet.Subscription(
                filter,
                made.qos(),
                made.noLocal(),
                made.retainAsPublished(),
                made.retainHandling());
    }

    static UnsubscribePacket unsubscribe(Packet.Unsubscribe unsubscribe) {
        return new UnsubscribePacket(
                unsubscribe.packetId(),
                unsubscribe.filters().stream().map(TopicFilter::toString).toList(),
                users(unsubscribe.properties()));
    }

    /** Returns what an extension has made of an UNSUBSCRIBE. */
    static Packet.Unsubscribe unsubscribe(UnsubscribePacket made, Packet.Unsubscribe shown)
            throws BadAnswer {
        int filters = shown.filters().size();
        if (made.topicFilters().size() != filters) {
            throw new BadAnswer(
                    "an UNSUBSCRIBE with "
                            + made.topicFilters().size()
                            + " filters; it must have those "
                            + filters
                            + " of the client");
        }
        List<TopicFilter> changed = new ArrayList<>(filters);
        for (String each : made.topicFilters()) {
            byte[] bytes = Utf8Text.of(each, "topic filter");
            if (!TopicCheck.isTopicFilter(bytes)) {
                throw new BadAnswer("topic filter is not well-formed");
            }
            changed.add(new TopicFilter(bytes));
        }
        return new Packet.Unsubscribe(
                shown.packetId(), changed, withUsers(shown.properties(), made.userProperties()));
    }
}
