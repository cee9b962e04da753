package io.godwit.server.extension.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.review.Reviewer;
import io.godwit.core.review.UnsubscribeOutcome;
import io.godwit.extension.OnFailure;
import io.godwit.extension.intercept.Interception;
import io.godwit.extension.intercept.UnsubscribeInterceptor;
import io.godwit.extension.packet.UnsubscribePacket;
import io.godwit.extension.packet.UserProperty;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class UnsubscribeReviewTest {
    private static final Subject CLIENT =
            new Subject(
                    ClientId.of("c"),
                    Identity.ofUser("user"),
                    new Peer("10.0.0.1:5000", false, "tcp"));

    private final SteppedCalls.Clock clock = new SteppedCalls.Clock();
    private final SteppedCalls first = new SteppedCalls("first", clock);
    private final SteppedCalls second = new SteppedCalls("second", clock);
    private final List<UnsubscribeOutcome> outcomes = new ArrayList<>();

    private Reviewer reviewer() {
        Reviewer made =
                new ExtensionHooks(
                                List.of(second.running(1), first.running(2)),
                                new ReviewOrder(),
                                1_000)
                        .reviewer();
        assertThat(made).isNotNull();
        return made;
    }

    private static Packet.Unsubscribe unsubscribe() {
        return new Packet.Unsubscribe(
                7, List.of(TopicFilter.of("a"), TopicFilter.of("b")), Properties.NONE);
    }

    private UnsubscribeOutcome outcome() {
        reviewer().unsubscribe(CLIENT, ProtocolVersion.MQTT_5, unsubscribe(), outcomes::add);
        int ran = 1;
        while (ran > 0) {
            ran = first.runAll() + second.runAll();
        }
        assertThat(outcomes).hasSize(1);
        assertThat(first.calls.state().waiting()).isZero();
        return outcomes.getFirst();
    }

    private static UnsubscribeInterceptor changing(String... filters) {
        return (client, packet) ->
                Interception.changed(packet.withTopicFilters(List.of(filters))).now();
    }

    @Test
    void unsubscribes_are_seen_only_with_an_interceptor() {
        first.registering.subscribeInterceptor(
                (client, packet) ->
                        Interception.<io.godwit.extension.packet.SubscribePacket>unchanged().now(),
                OnFailure.REFUSE);
        assertThat(reviewer().seesUnsubscribes(CLIENT)).isFalse();
        first.registering.unsubscribeInterceptor(changing("a", "b"), OnFailure.REFUSE);
        assertThat(reviewer().seesUnsubscribes(CLIENT)).isTrue();
    }

    @Test
    void next_interceptor_sees_changed_user_properties() {
        first.registering.unsubscribeInterceptor(
                (client, packet) ->
                        Interception.changed(
                                        packet.withUserProperties(
                                                List.of(new UserProperty("k", "v"))))
                                .now(),
                OnFailure.REFUSE);
        second.registering.unsubscribeInterceptor(
                (client, packet) -> {
                    assertThat(packet.userProperties()).containsExactly(new UserProperty("k", "v"));
                    return Interception.<UnsubscribePacket>dropped().now();
                },
                OnFailure.REFUSE);
        assertThat(outcome()).isEqualTo(new UnsubscribeOutcome.Dropped());
    }

    @Test
    void each_sees_what_the_one_before_has_made() {
        first.registering.unsubscribeInterceptor(changing("a", "c"), OnFailure.REFUSE);
        second.registering.unsubscribeInterceptor(
                (client, packet) -> {
                    assertThat(client.clientId()).isEqualTo("c");
                    assertThat(packet.topicFilters()).containsExactly("a", "c");
                    return Interception.<UnsubscribePacket>unchanged().now();
                },
                OnFailure.REFUSE);
        assertThat(outcome())
                .isEqualTo(
                        new UnsubscribeOutcome.Go(
                                new Packet.Unsubscribe(
                                        7,
                                        List.of(TopicFilter.of("a"), TopicFilter.of("c")),
                                        Properties.NONE)));
    }

    @Test
    void it_may_drop() {
        first.registering.unsubscribeInterceptor(
                (client, packet) -> Interception.<UnsubscribePacket>dropped().now(),
                OnFailure.REFUSE);
        assertThat(outcome()).isEqualTo(new UnsubscribeOutcome.Dropped());
    }

    @Test
    void reason_of_a_refusal_is_one_that_unsuback_may_have() {
        first.registering.unsubscribeInterceptor(
                (client, packet) ->
                        Interception.<UnsubscribePacket>refused(
                                        io.godwit.extension.packet.ReasonCode.QUOTA_EXCEEDED)
                                .now(),
                OnFailure.REFUSE);
        assertThat(outcome()).isEqualTo(new UnsubscribeOutcome.Refused(ReasonCode.NOT_AUTHORIZED));
    }

    static List<UnsubscribeInterceptor> failing() {
        return List.of(
                (client, packet) -> {
                    throw new IllegalStateException("test");
                },
                (client, packet) -> CompletableFuture.completedFuture(null),
                (client, packet) -> CompletableFuture.failedFuture(new Exception("test")),
                changing("a"),
                changing("a", "b", "c"),
                changing("a", "b#"),
                changing("a", ""));
    }

    @ParameterizedTest
    @MethodSource("failing")
    void failure_is_no_answer_or_is_passed_over(UnsubscribeInterceptor interceptor) {
        first.registering.unsubscribeInterceptor(interceptor, OnFailure.REFUSE);
        assertThat(outcome()).isEqualTo(new UnsubscribeOutcome.Failed());
        outcomes.clear();
        first.registering.unsubscribeInterceptors.clear();
        first.registering.unsubscribeInterceptor(interceptor, OnFailure.PASS);
        assertThat(outcome()).isEqualTo(new UnsubscribeOutcome.Go(unsubscribe()));
        assertThat(first.state(CallKind.UNSUBSCRIBE_INTERCEPTOR).passed()).isEqualTo(1);
    }
}
