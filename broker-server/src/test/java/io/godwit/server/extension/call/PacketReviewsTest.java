package io.godwit.server.extension.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.review.PacketOutcome;
import io.godwit.core.review.PacketReviewer;
import io.godwit.extension.intercept.Interception;
import io.godwit.extension.intercept.PacketInterceptor;
import io.godwit.extension.intercept.PacketPoint;
import io.godwit.extension.packet.AckPacket;
import io.godwit.extension.packet.Bytes;
import io.godwit.extension.packet.PingPacket;
import io.godwit.extension.packet.UserProperty;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PacketReviewsTest {
    private static final int PACKET_MAX = 1_000;
    private static final List<UserProperty> USERS = List.of(new UserProperty("k", "v"));

    private static final Subject CLIENT =
            new Subject(
                    ClientId.of("c"),
                    Identity.ofUser("user"),
                    new Peer("10.0.0.1:5000", false, "tcp"));

    private final SteppedCalls.Clock clock = new SteppedCalls.Clock();
    private final SteppedCalls first = new SteppedCalls("first", clock);
    private final SteppedCalls second = new SteppedCalls("second", clock);
    private final List<PacketOutcome> outcomes = new ArrayList<>();

    private PacketReviewer reviewer() {
        PacketReviewer made =
                new ExtensionHooks(
                                List.of(second.running(1), first.running(2)),
                                new ReviewOrder(),
                                PACKET_MAX)
                        .packets();
        assertThat(made).isNotNull();
        return made;
    }

    private PacketOutcome outcome(Packet packet, boolean isOut, ProtocolVersion version) {
        outcomes.clear();
        reviewer().review(CLIENT, version, packet, isOut, outcomes::add);
        int ran = 1;
        while (ran > 0) {
            ran = first.runAll() + second.runAll();
        }
        assertThat(outcomes).hasSize(1);
        assertThat(first.calls.state().waiting()).isZero();
        return outcomes.getFirst();
    }

    private Packet made(Packet packet, boolean isOut) {
        return made(packet, isOut, ProtocolVersion.MQTT_5);
    }

    private Packet made(Packet packet, boolean isOut, ProtocolVersion version) {
        PacketOutcome outcome = outcome(packet, isOut, version);
        assertThat(outcome).isInstanceOf(PacketOutcome.Go.class);
        return ((PacketOutcome.Go) outcome).packet();
    }

    private static <P> PacketInterceptor<P> changing(UnaryOperator<P> change) {
        return (client, packet) -> Interception.changed(change.apply(packet)).now();
    }

    private static Properties said(String text) {
        return Properties.builder().add(Property.REASON_STRING, text).user("k", "v").build();
    }

    private static Packet.Ack pubAck(ReasonCode reason) {
        return new Packet.Ack(PacketType.PUBACK, 5, reason, Properties.NONE);
    }

    @Test
    void packets_are_seen_at_the_points_that_somebody_is_registered_for() {
        assertThat(
                        new ExtensionHooks(List.of(first.running(0)), new ReviewOrder(), PACKET_MAX)
                                .packets())
                .isNull();
        first.registering
                .packetInterceptor(PacketPoint.PUBACK_OUT, changing(packet -> packet))
                .packetInterceptor(PacketPoint.PINGREQ, changing(packet -> packet))
                .packetInterceptor(PacketPoint.CONNACK, changing(packet -> packet));
        PacketReviewer reviewer = reviewer();
        assertThat(reviewer.sees(CLIENT, PacketType.PUBACK, true)).isTrue();
        assertThat(reviewer.sees(CLIENT, PacketType.PUBACK, false)).isFalse();
        assertThat(reviewer.sees(CLIENT, PacketType.PINGREQ, false)).isTrue();
        assertThat(reviewer.sees(CLIENT, PacketType.PINGRESP, true)).isFalse();
        assertThat(reviewer.sees(CLIENT, PacketType.CONNACK, true)).isTrue();
        assertThat(reviewer.sees(CLIENT, PacketType.DISCONNECT, true)).isFalse();
    }

    @Test
    void each_sees_what_the_one_before_has_made() {
        first.registering.packetInterceptor(
                PacketPoint.PUBACK_OUT, changing(packet -> packet.withReason(0x10, "1")));
        second.registering.packetInterceptor(
                PacketPoint.PUBACK_OUT,
                (client, packet) -> {
                    assertThat(client.userName()).isEqualTo("user");
                    assertThat(packet.packetId()).isEqualTo(5);
                    return Interception.changed(
                                    packet.withReason(
                                                    packet.reasonCode(),
                                                    packet.reasonString() + "2")
                                            .withUserProperties(USERS))
                            .now();
                });
        assertThat(made(pubAck(ReasonCode.SUCCESS), true))
                .isEqualTo(
                        new Packet.Ack(
                                PacketType.PUBACK,
                                5,
                                ReasonCode.NO_MATCHING_SUBSCRIBERS,
                                said("12")));
    }

    @Test
    void connack_may_say_more() {
        first.registering.packetInterceptor(
                PacketPoint.CONNACK,
                changing(packet ->
                        packet.withReason(packet.reasonCode(), "hello")
                                .withResponseInformation("answers/")
                                .withServerReference("other")
                                .withUserProperties(USERS)));
        Packet.ConnAck before =
                new Packet.ConnAck(
                        true, 0, Properties.builder().add(Property.RECEIVE_MAXIMUM, 7).build());
        assertThat(made(before, true))
                .isEqualTo(
                        new Packet.ConnAck(
                                true,
                                0,
                                Properties.builder()
                                        .add(Property.RECEIVE_MAXIMUM, 7)
                                        .add(Property.RESPONSE_INFORMATION, "answers/")
                                        .add(Property.SERVER_REFERENCE, "other")
                                        .add(Property.REASON_STRING, "hello")
                                        .user("k", "v")
                                        .build()));
    }

    @Test
    void refusal_stays_a_refusal_and_a_success_a_success() {
        first.registering.packetInterceptor(
                PacketPoint.CONNACK, changing(packet -> packet.withReason(0x9C, null)));
        assertThat(made(new Packet.ConnAck(false, 0x87, Properties.NONE), true))
                .isEqualTo(new Packet.ConnAck(false, 0x9C, Properties.NONE));
        Packet success = new Packet.ConnAck(false, 0, Properties.NONE);
        assertThat(made(success, true)).isSameAs(success);
        Packet old = new Packet.ConnAck(false, 5, Properties.NONE);
        assertThat(made(old, true, ProtocolVersion.MQTT_3_1_1)).isSameAs(old);
        assertThat(first.state(CallKind.PACKET_INTERCEPTOR).passed()).isEqualTo(2);
    }

    @Test
    void codes_of_suback_and_unsuback_may_be_changed() {
        first.registering
                .packetInterceptor(
                        PacketPoint.SUBACK,
                        changing(packet -> packet.withReasonCodes(List.of(1, 0x97))))
                .packetInterceptor(
                        PacketPoint.UNSUBACK,
                        changing(packet ->
                                packet.withReasonCodes(List.of(0x11))
                                        .withReasonString("r")
                                        .withUserProperties(USERS)));
        Packet.SubAck made =
                (Packet.SubAck)
                        made(new Packet.SubAck(3, new byte[] {2, (byte) 0x87}, said("old")), true);
        assertThat(made.codes()).containsExactly(1, 0x97);
        assertThat(made.properties()).isEqualTo(said("old"));
        Packet.UnsubAck unsubAck =
                (Packet.UnsubAck)
                        made(new Packet.UnsubAck(3, new byte[] {0}, Properties.NONE), true);
        assertThat(unsubAck.codes()).containsExactly(0x11);
        assertThat(unsubAck.properties()).isEqualTo(said("r"));
        Packet granted = new Packet.SubAck(3, new byte[] {2, 2}, Properties.NONE);
        assertThat(made(granted, true)).isSameAs(granted);
        Packet one = new Packet.SubAck(3, new byte[] {2}, Properties.NONE);
        assertThat(made(one, true)).isSameAs(one);
    }

    @Test
    void disconnect_may_name_another_server() {
        first.registering.packetInterceptor(
                PacketPoint.DISCONNECT_OUT,
                changing(packet ->
                        packet.withReason(0x9D, "moved")
                                .withServerReference("other")
                                .withUserProperties(USERS)));
        assertThat(
                        made(
                                new Packet.Disconnect(
                                        ReasonCode.ADMINISTRATIVE_ACTION, Properties.NONE),
                                true))
                .isEqualTo(
                        new Packet.Disconnect(
                                ReasonCode.SERVER_MOVED,
                                Properties.builder()
                                        .add(Property.SERVER_REFERENCE, "other")
                                        .add(Property.REASON_STRING, "moved")
                                        .user("k", "v")
                                        .build()));
    }

    @Test
    void session_expiry_in_a_disconnect_of_a_client_may_be_changed() {
        first.registering.packetInterceptor(
                PacketPoint.DISCONNECT_IN, changing(packet -> packet.withSessionExpirySeconds(60)));
        Packet before = new Packet.Disconnect(ReasonCode.SUCCESS, Properties.NONE);
        assertThat(made(before, false))
                .isEqualTo(
                        new Packet.Disconnect(
                                ReasonCode.SUCCESS,
                                Properties.builder()
                                        .add(Property.SESSION_EXPIRY_INTERVAL, 60)
                                        .build()));
        assertThat(made(before, false, ProtocolVersion.MQTT_3_1_1)).isSameAs(before);
    }

    private static Packet.Auth auth(String data) {
        return new Packet.Auth(
                ReasonCode.CONTINUE_AUTHENTICATION,
                Properties.builder()
                        .add(Property.AUTHENTICATION_METHOD, "m")
                        .add(
                                Property.AUTHENTICATION_DATA,
                                data.getBytes(java.nio.charset.StandardCharsets.UTF_8))
                        .build());
    }

    @Test
    void data_of_auth_may_be_changed_and_a_failure_has_no_answer() {
        first.registering
                .packetInterceptor(
                        PacketPoint.AUTH_IN,
                        changing(packet -> packet.withData(Bytes.ofText("new"))))
                .packetInterceptor(
                        PacketPoint.AUTH_OUT,
                        (client, packet) -> {
                            throw new IllegalStateException("test");
                        });
        assertThat(made(auth("old"), false)).isEqualTo(auth("new"));
        assertThat(outcome(auth("old"), true, ProtocolVersion.MQTT_5))
                .isEqualTo(new PacketOutcome.Failed());
    }

    @Test
    void what_has_no_effect_may_not_be_changed() {
        first.registering
                .packetInterceptor(
                        PacketPoint.PUBACK_IN, changing(packet -> packet.withReason(0x10, null)))
                .packetInterceptor(PacketPoint.PINGREQ, changing(packet -> new PingPacket()))
                .packetInterceptor(
                        PacketPoint.DISCONNECT_IN, changing(packet -> packet.withReason(4, null)));
        Packet.Ack ack = pubAck(ReasonCode.SUCCESS);
        assertThat(made(ack, false)).isSameAs(ack);
        assertThat(made(Packet.PingReq.INSTANCE, false)).isSameAs(Packet.PingReq.INSTANCE);
        Packet disconnect = new Packet.Disconnect(ReasonCode.SUCCESS, Properties.NONE);
        assertThat(made(disconnect, false)).isSameAs(disconnect);
        assertThat(first.state(CallKind.PACKET_INTERCEPTOR).failed(CallFailure.INVALID))
                .isEqualTo(3);
    }

    static List<PacketInterceptor<AckPacket>> failing() {
        return List.of(
                (client, packet) -> {
                    throw new IllegalStateException("test");
                },
                (client, packet) -> CompletableFuture.completedFuture(null),
                (client, packet) -> CompletableFuture.failedFuture(new Exception("test")),
                (client, packet) -> Interception.<AckPacket>dropped().now(),
                (client, packet) ->
                        Interception.<AckPacket>refused(
                                        io.godwit.extension.packet.ReasonCode.NOT_AUTHORIZED)
                                .now(),
                changing(packet -> packet.withReason(0x87, null)),
                changing(packet -> packet.withReason(0x18, null)),
                changing(packet -> packet.withReason(-1, null)),
                changing(packet -> packet.withReason(0, "\uD800")),
                changing(packet -> packet.withReason(0, "x".repeat(PACKET_MAX))));
    }

    @ParameterizedTest
    @MethodSource("failing")
    void failure_leaves_the_packet_as_it_was_and_the_next_is_asked(
            PacketInterceptor<AckPacket> interceptor) {
        first.registering.packetInterceptor(PacketPoint.PUBACK_OUT, interceptor);
        second.registering.packetInterceptor(
                PacketPoint.PUBACK_OUT,
                changing(packet -> packet.withReason(0, packet.reasonString() + " seen")));
        Packet.Ack made = (Packet.Ack) made(pubAck(ReasonCode.SUCCESS), true);
        assertThat(made.properties().text(Property.REASON_STRING)).isEqualTo("null seen");
        assertThat(first.state(CallKind.PACKET_INTERCEPTOR).passed()).isEqualTo(1);
    }
}
