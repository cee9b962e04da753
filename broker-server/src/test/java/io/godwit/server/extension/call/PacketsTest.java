package io.godwit.server.extension.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.packet.Will;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.extension.packet.Bytes;
import io.godwit.extension.packet.ConnectPacket;
import io.godwit.extension.packet.MqttVersion;
import io.godwit.extension.packet.PublishPacket;
import io.godwit.extension.packet.SubscribePacket;
import io.godwit.extension.packet.Subscription;
import io.godwit.extension.packet.UserProperty;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PacketsTest {
    private static final int BYTES_MAX = 200_000;

    private static final Will WILL =
            new Will(
                    Topic.of("w/1"),
                    2,
                    true,
                    text("gone"),
                    7,
                    Properties.builder()
                            .add(Property.PAYLOAD_FORMAT_INDICATOR, 1)
                            .add(Property.MESSAGE_EXPIRY_INTERVAL, 60)
                            .add(Property.CONTENT_TYPE, "text/plain")
                            .add(Property.RESPONSE_TOPIC, "answers")
                            .add(Property.CORRELATION_DATA, new byte[] {1, 2})
                            .user("a", "1")
                            .user("ä", "")
                            .build());

    private static final Packet.Subscribe SUBSCRIBE =
            new Packet.Subscribe(
                    5,
                    List.of(
                            new Packet.Subscription(TopicFilter.of("a/+"), 1, true, false, 2),
                            new Packet.Subscription(TopicFilter.of("b"), 0, false, true, 0)),
                    3,
                    Properties.builder()
                            .add(Property.SUBSCRIPTION_IDENTIFIER, 9)
                            .user("x", "y")
                            .build());

    @Test
    void a_subscribe_with_other_user_properties_is_shown_with_them() throws BadAnswer {
        SubscribePacket changed =
                Packets.subscribe(SUBSCRIBE)
                        .withUserProperties(List.of(new UserProperty("k", "v")));
        Packet.Subscribe made = Packets.subscribe(changed, SUBSCRIBE);
        assertThat(Packets.subscribe(made)).isEqualTo(changed);
        assertThat(Packets.subscribe(Packets.subscribe(SUBSCRIBE), SUBSCRIBE).properties())
                .isSameAs(SUBSCRIBE.properties());
        assertThatThrownBy(() ->
                        Packets.subscribe(
                                changed.withUserProperties(List.of(new UserProperty("k\0", "v"))),
                                SUBSCRIBE))
                .isInstanceOf(BadAnswer.class);
    }

    @Test
    void a_publish_with_all_properties_comes_back_as_it_was() throws BadAnswer {
        ReviewedPublish shown = Packets.reviewed(WILL);
        PublishPacket packet = Packets.publish(shown);

        assertThat(packet.topic()).isEqualTo("w/1");
        assertThat(packet.qos()).isEqualTo(2);
        assertThat(packet.retain()).isTrue();
        assertThat(packet.payload().text()).isEqualTo("gone");
        assertThat(packet.payloadIsText()).isTrue();
        assertThat(packet.expirySeconds()).isEqualTo(OptionalLong.of(60));
        assertThat(packet.contentType()).contains("text/plain");
        assertThat(packet.responseTopic()).contains("answers");
        assertThat(packet.correlationData()).contains(Bytes.copyOf(new byte[] {1, 2}));
        assertThat(packet.userProperties())
                .containsExactly(new UserProperty("a", "1"), new UserProperty("ä", ""));

        ReviewedPublish back = Packets.reviewed(packet, shown, packet, BYTES_MAX);
        assertThat(back.properties()).isEqualTo(shown.properties());
        assertThat(back.payload()).isSameAs(shown.payload());
        assertThat(back.topic()).isSameAs(shown.topic());
        assertThat(back.expirySeconds()).isEqualTo(60);
    }

    @Test
    void packet_identifier_and_dup_are_the_clients() throws BadAnswer {
        ReviewedPublish shown = publish("a", 1, true, 77);
        PublishPacket packet = Packets.publish(shown);
        assertThat(packet.packetId()).isEqualTo(77);
        assertThat(packet.dup()).isTrue();

        PublishPacket changed = packet.change().received(5, false).qos(0).topic("b").build();
        ReviewedPublish made = Packets.reviewed(changed, shown, packet, BYTES_MAX);

        assertThat(made.packetId()).isEqualTo(77);
        assertThat(made.dup()).isTrue();
        assertThat(made.qos()).isZero();
        assertThat(made.topic()).isEqualTo(Topic.of("b"));
    }

    @Test
    void a_payload_of_the_extension_is_copied() throws BadAnswer {
        byte[] own = text("mine");
        PublishPacket made = PublishPacket.to("a").payload(Bytes.wrap(own)).build();
        ReviewedPublish taken = Packets.reviewed(made, null, null, BYTES_MAX);
        own[0] = 'X';

        assertThat(taken.payload()).isEqualTo(text("mine"));
    }

    @SuppressWarnings("NullAway") // An extension may be compiled without it.
    static Stream<Arguments> badPublishes() {
        String half = "x\uD800";
        String tooLong = "x".repeat(65_536);
        return Stream.of(
                Arguments.of("topic is empty", PublishPacket.to("")),
                Arguments.of("wildcard", PublishPacket.to("a/+")),
                Arguments.of("wildcard", PublishPacket.to("#")),
                Arguments.of("65536 bytes", PublishPacket.to(tooLong)),
                Arguments.of("surrogate", PublishPacket.to(half)),
                Arguments.of("U+0000", PublishPacket.to("a\0b")),
                Arguments.of("topic is null", PublishPacket.to("a").topic(null)),
                Arguments.of("null", PublishPacket.to("a").payload(null)),
                Arguments.of(
                        "200001 bytes",
                        PublishPacket.to("a").payload(Bytes.wrap(new byte[BYTES_MAX]))),
                Arguments.of("content type", PublishPacket.to("a").contentType(tooLong)),
                Arguments.of("response topic", PublishPacket.to("a").responseTopic("a/#")),
                Arguments.of(
                        "correlation data",
                        PublishPacket.to("a").correlationData(Bytes.wrap(new byte[65_536]))),
                Arguments.of(
                        "name is null",
                        PublishPacket.to("a").userProperties(List.of(new UserProperty(null, "v")))),
                Arguments.of(
                        "more than 200000 bytes of properties",
                        PublishPacket.to("a")
                                .userProperties(
                                        Stream.generate(() ->
                                                        new UserProperty("n", "v".repeat(60_000)))
                                                .limit(4)
                                                .toList())));
    }

    @ParameterizedTest
    @MethodSource("badPublishes")
    void a_publish_that_the_broker_cannot_take_says_why(String why, PublishPacket.Builder made) {
        assertThatThrownBy(() -> Packets.reviewed(made.build(), null, null, BYTES_MAX))
                .isInstanceOf(BadAnswer.class)
                .hasMessageContaining(why);
        assertThatThrownBy(() -> Packets.published(made.build(), BYTES_MAX))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    @Test
    void a_connect_is_shown_with_everything() {
        Packet.Connect connect =
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of("c"),
                        true,
                        30,
                        WILL,
                        "user",
                        text("secret"),
                        false,
                        Properties.builder()
                                .add(Property.SESSION_EXPIRY_INTERVAL, 100)
                                .add(Property.RECEIVE_MAXIMUM, 10)
                                .add(Property.AUTHENTICATION_METHOD, "M")
                                .add(Property.AUTHENTICATION_DATA, text("d"))
                                .user("k", "v")
                                .build());

        ConnectPacket packet = Packets.connect(connect);

        assertThat(packet.version()).isEqualTo(MqttVersion.V5);
        assertThat(packet.clientId()).isEqualTo("c");
        assertThat(packet.cleanStart()).isTrue();
        assertThat(packet.keepAliveSeconds()).isEqualTo(30);
        assertThat(packet.sessionExpirySeconds()).isEqualTo(100);
        assertThat(packet.receiveMaximum()).isEqualTo(10);
        assertThat(packet.userName()).isEqualTo("user");
        assertThat(packet.passwordText()).contains("secret");
        assertThat(packet.authenticationMethod()).isEqualTo("M");
        assertThat(packet.authenticationData()).isEqualTo(Bytes.ofText("d"));
        assertThat(packet.userProperties()).containsExactly(new UserProperty("k", "v"));
        assertThat(packet.will()).isNotNull();
        assertThat(packet.will().delaySeconds()).isEqualTo(7);
        assertThat(packet.will().publish().topic()).isEqualTo("w/1");
    }

    @Test
    void a_subscribe_comes_back_as_it_was_and_changed() throws BadAnswer {
        SubscribePacket packet = Packets.subscribe(SUBSCRIBE);
        assertThat(packet.subscriptionId()).isEqualTo(9);
        assertThat(packet.subscriptions())
                .containsExactly(
                        new Subscription("a/+", 1, true, false, 2),
                        new Subscription("b", 0, false, true, 0));
        assertThat(Packets.subscribe(packet, SUBSCRIBE)).isEqualTo(SUBSCRIBE);

        List<Subscription> others =
                List.of(
                        packet.subscriptions().get(0).withTopicFilter("$share/g/t").withQos(2),
                        packet.subscriptions().get(1));
        assertThatThrownBy(() -> Packets.subscribe(packet.withSubscriptions(others), SUBSCRIBE))
                .hasMessageContaining("No Local");
        SubscribePacket changed =
                new SubscribePacket(
                        99,
                        List.of(new Subscription("c/#", 2, false, false, 1), others.get(1)),
                        0,
                        List.of());
        Packet.Subscribe made = Packets.subscribe(changed, SUBSCRIBE);
        assertThat(made.packetId()).isEqualTo(5);
        assertThat(made.filtersBeyond()).isEqualTo(3);
        assertThat(made.subscriptions().get(0))
                .isEqualTo(new Packet.Subscription(TopicFilter.of("c/#"), 2, false, false, 1));
        assertThat(made.properties().has(Property.SUBSCRIPTION_IDENTIFIER)).isFalse();
    }

    @Test
    void a_subscribe_that_the_broker_cannot_take_says_why() {
        SubscribePacket packet = Packets.subscribe(SUBSCRIBE);
        Subscription kept = packet.subscriptions().get(1);

        assertThatThrownBy(
                        () -> Packets.subscribe(packet.withSubscriptions(List.of(kept)), SUBSCRIBE))
                .hasMessageContaining("1 filters");
        assertThatThrownBy(() ->
                        Packets.subscribe(
                                packet.withSubscriptions(
                                        List.of(kept.withTopicFilter("a/#/b"), kept)),
                                SUBSCRIBE))
                .hasMessageContaining("not well-formed");
        assertThatThrownBy(() ->
                        Packets.subscribe(
                                new SubscribePacket(5, packet.subscriptions(), -1, List.of()),
                                SUBSCRIBE))
                .hasMessageContaining("identifier -1");
    }

    private static ReviewedPublish publish(String topic, int qos, boolean dup, int packetId) {
        return new ReviewedPublish(
                Topic.of(topic),
                text("p"),
                PublishFrame.NO_PROPERTIES,
                qos,
                false,
                dup,
                -1,
                false,
                packetId);
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
