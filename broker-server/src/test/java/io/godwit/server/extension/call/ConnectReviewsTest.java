package io.godwit.server.extension.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.Peer;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import io.godwit.core.review.ConnectOutcome;
import io.godwit.core.review.ConnectReviewer;
import io.godwit.extension.intercept.ConnectInterceptor;
import io.godwit.extension.intercept.Interception;
import io.godwit.extension.packet.Bytes;
import io.godwit.extension.packet.ConnectPacket;
import io.godwit.extension.packet.PublishPacket;
import io.godwit.extension.packet.UserProperty;
import io.godwit.extension.packet.WillPacket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ConnectReviewsTest {
    private static final Peer PEER = new Peer("10.0.0.1:5000", false, "tcp");

    private final SteppedCalls.Clock clock = new SteppedCalls.Clock();
    private final SteppedCalls first = new SteppedCalls("first", clock);
    private final SteppedCalls second = new SteppedCalls("second", clock);
    private final List<ConnectOutcome> outcomes = new ArrayList<>();

    private static Packet.Connect connect(ProtocolVersion version) {
        boolean isV5 = version.isV5();
        return new Packet.Connect(
                version,
                ClientId.of("c"),
                true,
                30,
                new Will(Topic.of("gone"), 1, false, new byte[] {'w'}, 0, Properties.NONE),
                "user",
                "secret".getBytes(java.nio.charset.StandardCharsets.UTF_8),
                false,
                isV5
                        ? Properties.builder()
                                .add(Property.TOPIC_ALIAS_MAXIMUM, 7)
                                .add(Property.SESSION_EXPIRY_INTERVAL, 60)
                                .user("k", "v")
                                .build()
                        : Properties.NONE);
    }

    private ConnectReviewer reviewer() {
        ConnectReviewer made =
                new ExtensionHooks(
                                List.of(second.running(1), first.running(2)),
                                new ReviewOrder(),
                                1_000)
                        .connects();
        assertThat(made).isNotNull();
        return made;
    }

    private ConnectOutcome outcome(Packet.Connect connect) {
        reviewer().connect(connect, PEER, outcomes::add);
        int ran = 1;
        while (ran > 0) {
            ran = first.runAll() + second.runAll();
        }
        assertThat(outcomes).hasSize(1);
        assertThat(first.calls.state().waiting()).isZero();
        assertThat(second.calls.state().waiting()).isZero();
        return outcomes.getFirst();
    }

    private Packet.Connect made(Packet.Connect connect) {
        ConnectOutcome outcome = outcome(connect);
        assertThat(outcome).isInstanceOf(ConnectOutcome.Go.class);
        return ((ConnectOutcome.Go) outcome).connect();
    }

    private static ConnectInterceptor changing(UnaryOperator<ConnectPacket.Builder> change) {
        return (origin, packet) ->
                Interception.changed(change.apply(packet.change()).build()).now();
    }

    @Test
    void without_an_interceptor_nobody_reviews() {
        ExtensionHooks none =
                new ExtensionHooks(List.of(first.running(0)), new ReviewOrder(), 1_000);
        assertThat(none.connects()).isNull();
    }

    @Test
    void unchanged_packet_is_the_same() {
        first.registering.connectInterceptor(
                (origin, packet) -> Interception.<ConnectPacket>unchanged().now());
        Packet.Connect asked = connect(ProtocolVersion.MQTT_5);
        assertThat(made(asked)).isSameAs(asked);
    }

    @Test
    void each_sees_what_the_one_before_has_made() {
        first.registering.connectInterceptor(changing(to -> to.clientId("c1")));
        second.registering.connectInterceptor((origin, packet) -> {
            assertThat(origin.address()).isEqualTo("10.0.0.1:5000");
            return Interception.changed(packet.change().clientId(packet.clientId() + "-2").build())
                    .now();
        });
        assertThat(made(connect(ProtocolVersion.MQTT_5)).clientId()).hasToString("c1-2");
    }

    @Test
    void everything_that_may_be_changed_is() {
        first.registering.connectInterceptor(
                changing(to ->
                        to.clientId("other")
                                .cleanStart(false)
                                .keepAliveSeconds(10)
                                .sessionExpirySeconds(3_600)
                                .receiveMaximum(5)
                                .userName("name")
                                .password(Bytes.ofText("pw"))
                                .will(
                                        new WillPacket(
                                                PublishPacket.to("will")
                                                        .qos(2)
                                                        .text("bye")
                                                        .retain(true)
                                                        .contentType("text")
                                                        .build(),
                                                9))
                                .userProperties(List.of(new UserProperty("a", "b")))));
        Packet.Connect made = made(connect(ProtocolVersion.MQTT_5));
        assertThat(made.clientId()).hasToString("other");
        assertThat(made.cleanStart()).isFalse();
        assertThat(made.keepAliveSeconds()).isEqualTo(10);
        assertThat(made.userName()).isEqualTo("name");
        assertThat(made.password()).asString().isEqualTo("pw");
        assertThat(made.properties())
                .isEqualTo(
                        Properties.builder()
                                .add(Property.TOPIC_ALIAS_MAXIMUM, 7)
                                .add(Property.SESSION_EXPIRY_INTERVAL, 3_600)
                                .add(Property.RECEIVE_MAXIMUM, 5)
                                .user("a", "b")
                                .build());
        Will will = made.will();
        assertThat(will).isNotNull();
        assertThat(will.topic()).hasToString("will");
        assertThat(will.qos()).isEqualTo(2);
        assertThat(will.retain()).isTrue();
        assertThat(will.delaySeconds()).isEqualTo(9);
        assertThat(will.properties().text(Property.CONTENT_TYPE)).isEqualTo("text");
    }

    @Test
    void what_3x_does_not_have_stays_as_it_is() {
        first.registering.connectInterceptor(
                changing(to ->
                        to.keepAliveSeconds(10)
                                .sessionExpirySeconds(3_600)
                                .receiveMaximum(5)
                                .userProperties(List.of(new UserProperty("a", "b")))));
        Packet.Connect asked = connect(ProtocolVersion.MQTT_3_1_1);
        Packet.Connect made = made(asked);
        assertThat(made.keepAliveSeconds()).isEqualTo(10);
        assertThat(made.properties().isEmpty()).isTrue();
        assertThat(made.will()).isNotNull().isSameAs(asked.will());
    }

    @Test
    void it_may_drop_or_refuse_and_nobody_else_is_asked() {
        first.registering.connectInterceptor(
                (origin, packet) -> Interception.<ConnectPacket>dropped().now());
        second.registering.connectInterceptor((origin, packet) -> {
            throw new AssertionError("asked");
        });
        assertThat(outcome(connect(ProtocolVersion.MQTT_5)))
                .isEqualTo(new ConnectOutcome.Dropped());
        assertThat(second.state(CallKind.CONNECT_INTERCEPTOR).failed(CallFailure.EXCEPTION))
                .isZero();
    }

    @Test
    void reason_of_a_refusal_is_one_that_connack_may_have() {
        first.registering.connectInterceptor((origin, packet) ->
                Interception.<ConnectPacket>refused(
                                io.godwit.extension.packet.ReasonCode.TOPIC_FILTER_INVALID)
                        .now());
        assertThat(outcome(connect(ProtocolVersion.MQTT_5)))
                .isEqualTo(new ConnectOutcome.Refused(ReasonCode.NOT_AUTHORIZED));
    }

    @SuppressWarnings("NullAway") // An extension may be compiled without it.
    static List<ConnectInterceptor> failing() {
        return List.of(
                (origin, packet) -> {
                    throw new IllegalStateException("test");
                },
                (origin, packet) -> CompletableFuture.completedFuture(null),
                (origin, packet) -> CompletableFuture.failedFuture(new Exception("test")),
                changing(to -> to.clientId("")),
                changing(to -> to.clientId("a\u0000b")),
                changing(to -> to.keepAliveSeconds(65_536)),
                changing(to -> to.sessionExpirySeconds(-1)),
                changing(to -> to.receiveMaximum(0)),
                changing(to -> to.receiveMaximum(65_536)),
                changing(to -> to.userName("\uD800")),
                changing(to ->
                        to.userProperties(List.of(new UserProperty("a", "x".repeat(65_536))))),
                changing(to -> to.will(new WillPacket(PublishPacket.to("a/#").build(), 0))),
                changing(to -> to.will(new WillPacket(PublishPacket.to("a").build(), -1))));
    }

    @ParameterizedTest
    @MethodSource("failing")
    void failure_is_no_answer_and_nobody_else_is_asked(ConnectInterceptor interceptor) {
        first.registering.connectInterceptor(interceptor);
        second.registering.connectInterceptor((origin, packet) -> {
            throw new AssertionError("asked");
        });
        assertThat(outcome(connect(ProtocolVersion.MQTT_5))).isEqualTo(new ConnectOutcome.Failed());
    }

    @Test
    void password_without_a_user_name_fails_where_mqtt_does_not_have_it() {
        first.registering.connectInterceptor(changing(to -> to.userName(null)));
        assertThat(outcome(connect(ProtocolVersion.MQTT_3_1_1)))
                .isEqualTo(new ConnectOutcome.Failed());
    }

    @Test
    void no_answer_in_call_time_fails() {
        first.registering.connectInterceptor((origin, packet) -> new CompletableFuture<>());
        reviewer().connect(connect(ProtocolVersion.MQTT_5), PEER, outcomes::add);
        first.runAll();
        assertThat(outcomes).isEmpty();
        first.passMs(SteppedCalls.CALL_TIME.toMillis());
        assertThat(outcomes).containsExactly(new ConnectOutcome.Failed());
    }

    @Test
    void extension_that_is_full_says_so() {
        SteppedCalls full =
                new SteppedCalls("full", clock, new CallSettings(1, Duration.ofSeconds(1), 1, 1));
        full.registering.connectInterceptor(
                (origin, packet) -> Interception.<ConnectPacket>unchanged().now());
        ConnectReviewer reviewer =
                new ExtensionHooks(List.of(full.running(1)), new ReviewOrder(), 1_000).connects();
        assertThat(reviewer).isNotNull();
        reviewer.connect(connect(ProtocolVersion.MQTT_5), PEER, outcomes::add);
        assertThat(outcomes).containsExactly(new ConnectOutcome.Refused(ReasonCode.SERVER_BUSY));
    }
}
