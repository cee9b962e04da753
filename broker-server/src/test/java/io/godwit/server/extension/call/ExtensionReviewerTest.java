package io.godwit.server.extension.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.packet.Will;
import io.godwit.core.review.Permission;
import io.godwit.core.review.PublishOutcome;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.core.review.Reviewer;
import io.godwit.core.review.SubscribeOutcome;
import io.godwit.core.review.SubscribeOutcome.Decision;
import io.godwit.extension.OnFailure;
import io.godwit.extension.auth.Authorization;
import io.godwit.extension.intercept.Interception;
import io.godwit.extension.intercept.PublishInterceptor;
import io.godwit.extension.packet.PublishPacket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ExtensionReviewerTest {
    private static final int PACKET_MAX = 1_000;

    private final SteppedCalls.Clock clock = new SteppedCalls.Clock();
    private final SteppedCalls first = new SteppedCalls("first", clock);
    private final SteppedCalls second = new SteppedCalls("second", clock);
    private final ReviewOrder order = new ReviewOrder();
    private final Subject client = subject("c");
    private final List<PublishOutcome> outcomes = new ArrayList<>();
    private final List<String> seen = new ArrayList<>();

    private static Subject subject(String clientId) {
        return new Subject(
                ClientId.of(clientId),
                Identity.ofUser("user"),
                new Peer("10.0.0.1:5000", false, "tcp"));
    }

    /** The first extension is asked first, since its priority is higher. */
    private Reviewer reviewer() {
        Reviewer made =
                new ExtensionHooks(List.of(second.running(1), first.running(2)), order, PACKET_MAX)
                        .reviewer();
        assertThat(made).isNotNull();
        return made;
    }

    private static ReviewedPublish message(String topic, String payload) {
        return new ReviewedPublish(
                Topic.of(topic),
                payload.getBytes(StandardCharsets.UTF_8),
                PublishFrame.NO_PROPERTIES,
                1,
                false,
                false,
                -1,
                false,
                1);
    }

    private void publish(Reviewer reviewer, Subject from, String topic, String payload) {
        reviewer.publish(from, ProtocolVersion.MQTT_5, message(topic, payload), outcomes::add);
    }

    private void publish(Reviewer reviewer, String topic, String payload) {
        publish(reviewer, client, topic, payload);
    }

    private int runAll() {
        int count = 0;
        for (int ran = 1; ran > 0; count += ran) {
            ran = first.runAll() + second.runAll();
        }
        return count;
    }

    private PublishInterceptor appends(String text) {
        return (from, packet) -> {
            seen.add(from.clientId() + " " + packet.payload().text());
            return Interception.changed(
                            packet.change().text(packet.payload().text() + text).build())
                    .now();
        };
    }

    private static String payload(PublishOutcome outcome) {
        assertThat(outcome).isInstanceOf(PublishOutcome.Go.class);
        return new String(
                ((PublishOutcome.Go) outcome).publish().payload(), StandardCharsets.UTF_8);
    }

    private static Permission permission(PublishOutcome outcome) {
        assertThat(outcome).isInstanceOf(PublishOutcome.Go.class);
        return ((PublishOutcome.Go) outcome).permission();
    }

    @Test
    void without_a_hook_nobody_reviews() {
        ExtensionHooks none = new ExtensionHooks(List.of(first.running(0)), order, PACKET_MAX);

        assertThat(none.reviewer()).isNull();
        assertThat(none.events()).isNull();
        assertThat(none.authenticators()).isEmpty();
        assertThat(none.methods()).isEmpty();
    }

    @Test
    void an_interceptor_sees_what_the_one_before_has_made_in_the_order_of_priority() {
        second.registering.publishInterceptor("#", appends("-second"), OnFailure.REFUSE);
        first.registering
                .publishInterceptor("#", appends("-1st"), OnFailure.REFUSE)
                .publishInterceptor("a/+", appends("-2nd"), OnFailure.REFUSE)
                .publishInterceptor("b", appends("-no"), OnFailure.REFUSE);

        publish(reviewer(), "a/b", "x");
        runAll();

        assertThat(seen).containsExactly("c x", "c x-1st", "c x-1st-2nd");
        assertThat(outcomes).hasSize(1);
        assertThat(payload(outcomes.get(0))).isEqualTo("x-1st-2nd-second");
        assertThat(permission(outcomes.get(0))).isEqualTo(Permission.BY_RULES);
        assertThat(first.calls.state().waiting()).isZero();
        assertThat(second.calls.state().waiting()).isZero();
    }

    @Test
    void what_no_interceptor_wants_and_no_authorizer_sees_is_not_shown() {
        first.registering.publishInterceptor("a/+", appends(""), OnFailure.REFUSE);
        Reviewer interceptors = reviewer();
        assertThat(interceptors.seesPublish(client, Topic.of("a/b"))).isTrue();
        assertThat(interceptors.seesPublish(client, Topic.of("b"))).isFalse();
        assertThat(interceptors.seesWill(client)).isFalse();
        assertThat(interceptors.seesSubscribes(client)).isFalse();

        second.registering.publishAuthorizer(
                (from, packet) -> Authorization.allowed().now(), OnFailure.REFUSE);
        Reviewer authorizers = reviewer();
        assertThat(authorizers.seesPublish(client, Topic.of("b"))).isTrue();
        assertThat(authorizers.seesWill(client)).isTrue();
    }

    @Test
    void an_interceptor_may_drop_or_refuse_and_nobody_else_is_asked() {
        first.registering.publishInterceptor(
                "drop", (from, packet) -> Interception.<PublishPacket>dropped().now(), refuse());
        first.registering.publishInterceptor(
                "refuse",
                (from, packet) ->
                        Interception.<PublishPacket>refused(
                                        io.godwit.extension.packet.ReasonCode.QUOTA_EXCEEDED)
                                .now(),
                refuse());
        first.registering.publishInterceptor(
                "ban",
                (from, packet) ->
                        Interception.<PublishPacket>refused(
                                        io.godwit.extension.packet.ReasonCode.BANNED)
                                .now(),
                refuse());
        second.registering.publishInterceptor("#", appends(""), refuse());
        Reviewer reviewer = reviewer();

        publish(reviewer, "drop", "x");
        publish(reviewer, "refuse", "x");
        publish(reviewer, "ban", "x");
        runAll();

        assertThat(outcomes)
                .containsExactly(
                        new PublishOutcome.Dropped(),
                        new PublishOutcome.Refused(ReasonCode.QUOTA_EXCEEDED),
                        new PublishOutcome.Refused(ReasonCode.NOT_AUTHORIZED)); // not in PUBACK
        assertThat(seen).isEmpty();
    }

    private static OnFailure refuse() {
        return OnFailure.REFUSE;
    }

    @Test
    void authorizers_are_asked_until_one_decides() {
        first.registering.publishAuthorizer(
                (from, packet) ->
                        (packet.topic().equals("mine")
                                        ? Authorization.allowed()
                                        : Authorization.undecided())
                                .now(),
                OnFailure.REFUSE);
        second.registering.publishAuthorizer(
                (from, packet) ->
                        (packet.topic().equals("theirs")
                                        ? Authorization.denied()
                                        : Authorization.undecided())
                                .now(),
                OnFailure.REFUSE);
        Reviewer reviewer = reviewer();

        Stream.of("mine", "theirs", "nobody's").forEach(each -> publish(reviewer, each, "x"));
        runAll();

        assertThat(permission(outcomes.get(0))).isEqualTo(Permission.GRANTED);
        assertThat(outcomes.get(1))
                .isEqualTo(new PublishOutcome.Refused(ReasonCode.NOT_AUTHORIZED));
        assertThat(permission(outcomes.get(2))).isEqualTo(Permission.BY_RULES_ALONE);
    }

    @Test
    void a_failed_call_fails_the_review_or_is_passed_over_and_counted() {
        PublishInterceptor throwing =
                (from, packet) -> {
                    throw new IllegalStateException("test");
                };
        first.registering
                .publishInterceptor("pass", throwing, OnFailure.PASS)
                .publishInterceptor("fail", throwing, OnFailure.REFUSE);
        second.registering.publishInterceptor("#", appends("-on"), OnFailure.REFUSE);
        Reviewer reviewer = reviewer();

        publish(reviewer, "pass", "x");
        publish(reviewer, "fail", "x");
        runAll();

        assertThat(payload(outcomes.get(0))).isEqualTo("x-on");
        assertThat(outcomes.get(1)).isEqualTo(new PublishOutcome.Failed());
        CallsState.OfKind state = first.state(CallKind.PUBLISH_INTERCEPTOR);
        assertThat(state.passed()).isEqualTo(1);
        assertThat(state.failed(CallFailure.EXCEPTION)).isEqualTo(2);
    }

    @Test
    void a_packet_that_the_broker_cannot_take_is_a_failed_call() {
        first.registering
                .publishInterceptor(
                        "#",
                        (from, packet) ->
                                Interception.changed(packet.change().topic("a/#").build()).now(),
                        OnFailure.PASS)
                .publishInterceptor(
                        "#",
                        (from, packet) ->
                                Interception.changed(
                                                packet.change().text("x".repeat(2_000)).build())
                                        .now(),
                        OnFailure.PASS);

        publish(reviewer(), "a", "x");
        runAll();

        assertThat(payload(outcomes.get(0))).isEqualTo("x");
        assertThat(first.state(CallKind.PUBLISH_INTERCEPTOR).failed(CallFailure.INVALID))
                .isEqualTo(2);
    }

    @Test
    void of_one_client_a_review_begins_when_the_one_before_has_its_answer_and_others_do_not_wait() {
        List<CompletableFuture<Interception<PublishPacket>>> answers = new ArrayList<>();
        first.registering.publishInterceptor(
                "#",
                (from, packet) -> {
                    seen.add(from.clientId() + " " + packet.payload().text());
                    answers.add(new CompletableFuture<>());
                    return answers.getLast();
                },
                OnFailure.REFUSE);
        Reviewer reviewer = reviewer();
        publish(reviewer, "a", "1");
        publish(reviewer, "a", "2");
        publish(reviewer, subject("other"), "a", "3");
        runAll();
        assertThat(seen).containsExactly("c 1", "other 3");

        answers.get(1).complete(Interception.unchanged());
        assertThat(outcomes).hasSize(1);
        answers.get(0).complete(Interception.unchanged());
        assertThat(outcomes).hasSize(2);
        runAll();
        assertThat(seen).containsExactly("c 1", "other 3", "c 2");
        answers.get(2).complete(Interception.dropped());

        assertThat(outcomes).hasSize(3);
        assertThat(outcomes.get(2)).isEqualTo(new PublishOutcome.Dropped());
        assertThat(order.publishes().size()).isZero();
    }

    @Test
    void the_order_of_a_client_holds_when_the_extensions_change() {
        CompletableFuture<Interception<PublishPacket>> answer = new CompletableFuture<>();
        first.registering.publishInterceptor("#", (from, packet) -> answer, OnFailure.REFUSE);
        publish(reviewer(), "a", "old");
        first.registering.publishInterceptors.clear();
        second.registering.publishInterceptor("#", appends("-new"), OnFailure.REFUSE);
        publish(reviewer(), "a", "x");
        runAll();
        assertThat(outcomes).isEmpty();

        answer.complete(Interception.unchanged());
        runAll();

        assertThat(outcomes.stream().map(ExtensionReviewerTest::payload))
                .containsExactly("old", "x-new");
    }

    @Test
    void when_there_is_no_place_the_call_fails_in_its_turn() {
        CompletableFuture<Interception<PublishPacket>> answer = new CompletableFuture<>();
        first.registering.publishInterceptor("#", (from, packet) -> answer, OnFailure.REFUSE);
        Reviewer reviewer = reviewer();
        for (int i = 0; i < 101; i++) {
            publish(reviewer, "a", "x");
        }
        runAll();
        assertThat(first.calls.isNearlyFull()).isTrue();
        assertThat(outcomes).isEmpty();

        answer.complete(Interception.unchanged());
        runAll();

        assertThat(outcomes).hasSize(101);
        assertThat(outcomes.subList(0, 100)).hasOnlyElementsOfType(PublishOutcome.Go.class);
        assertThat(outcomes.get(100)).isEqualTo(new PublishOutcome.Failed());
        assertThat(first.state(CallKind.PUBLISH_INTERCEPTOR).failed(CallFailure.FULL)).isEqualTo(1);
        assertThat(first.calls.state().waiting()).isZero();
        assertThat(first.calls.state().waitingBytes()).isZero();
    }

    @Test
    void an_answer_is_remembered_for_its_time_connection_topic_qos_and_retain() {
        first.registering.publishAuthorizer(
                (from, packet) -> {
                    seen.add(packet.topic());
                    return new Authorization.Allowed(Duration.ofSeconds(3)).now();
                },
                OnFailure.REFUSE);
        Reviewer reviewer = reviewer();
        publish(reviewer, "a", "x");
        runAll();
        publish(reviewer, "a", "y");
        assertThat(outcomes).hasSize(2); // without a call
        publish(reviewer, "b", "x");
        publish(reviewer, subject("c"), "a", "x");
        runAll();
        assertThat(seen).containsExactly("a", "b", "a");

        clock.passMs(3_000);
        publish(reviewer, "a", "x");
        runAll();
        assertThat(seen).hasSize(4);

        publish(reviewer(), "a", "x"); // the extensions have changed
        runAll();
        assertThat(seen).hasSize(5);
        assertThat(outcomes).hasSize(6);
        assertThat(outcomes.stream().map(ExtensionReviewerTest::permission))
                .containsOnly(Permission.GRANTED);
    }

    @Test
    void a_thousand_answers_of_a_connection_are_remembered() {
        first.registering.publishAuthorizer(
                (from, packet) -> {
                    seen.add(packet.topic());
                    return new Authorization.Undecided(Duration.ofDays(1_000_000)).now();
                },
                OnFailure.REFUSE);
        Reviewer reviewer = reviewer();
        for (int i = 0; i <= 1_000; i++) {
            publish(reviewer, "t" + i, "x");
            runAll();
        }
        publish(reviewer, "t1", "x");
        assertThat(outcomes).hasSize(1_002);

        publish(reviewer, "t0", "x");
        runAll();

        assertThat(seen).hasSize(1_002).endsWith("t0");
    }

    @Test
    void a_will_is_shown_to_authorizers_only() {
        first.registering
                .publishInterceptor("#", appends("no"), OnFailure.REFUSE)
                .publishAuthorizer(
                        (from, packet) -> {
                            seen.add(packet.toString());
                            return Authorization.denied().now();
                        },
                        OnFailure.REFUSE);
        Will will = new Will(Topic.of("w"), 2, true, new byte[3], 0, Properties.NONE);
        reviewer().will(client, ProtocolVersion.MQTT_3_1_1, will, outcomes::add);
        runAll();

        assertThat(seen).containsExactly("PUBLISH to w, QoS 2, retained, 3 bytes");
        assertThat(outcomes).containsExactly(new PublishOutcome.Refused(ReasonCode.NOT_AUTHORIZED));
    }

    @Test
    void each_filter_of_a_subscribe_is_authorized() {
        List<SubscribeOutcome> answers = new ArrayList<>();
        first.registering
                .subscribeInterceptor(
                        (from, packet) ->
                                Interception.changed(
                                                packet.withSubscriptions(
                                                        packet.subscriptions().stream()
                                                                .map(each -> each.withQos(0))
                                                                .toList()))
                                        .now(),
                        OnFailure.REFUSE)
                .subscribeAuthorizer(
                        (from, filter) ->
                                (switch (filter.topicFilter()) {
                                            case "yes" -> Authorization.allowed();
                                            case "no" -> Authorization.denied();
                                            default -> Authorization.undecided();
                                        })
                                        .now(),
                        OnFailure.REFUSE);
        Reviewer reviewer = reviewer();
        assertThat(reviewer.seesSubscribes(client)).isTrue();
        Packet.Subscribe subscribe =
                new Packet.Subscribe(
                        1,
                        Stream.of("yes", "no", "open")
                                .map(each ->
                                        new Packet.Subscription(
                                                TopicFilter.of(each), 2, false, false, 0))
                                .toList(),
                        Properties.NONE);

        reviewer.subscribe(client, ProtocolVersion.MQTT_5, subscribe, answers::add);
        runAll();

        assertThat(answers).hasSize(1);
        SubscribeOutcome.Go go = (SubscribeOutcome.Go) answers.get(0);
        assertThat(go.decisions())
                .containsExactly(
                        new Decision.May(Permission.GRANTED),
                        new Decision.MayNot(ReasonCode.NOT_AUTHORIZED),
                        new Decision.May(Permission.BY_RULES_ALONE));
        assertThat(go.subscribe().subscriptions()).allMatch(each -> each.qos() == 0);
    }

    @Test
    @SuppressWarnings("NullAway") // An extension may be compiled without it.
    void a_failed_call_about_a_subscribe_fails_all_of_it() {
        List<SubscribeOutcome> answers = new ArrayList<>();
        first.registering.subscribeAuthorizer((from, filter) -> null, OnFailure.REFUSE);
        Packet.Subscribe subscribe =
                new Packet.Subscribe(
                        1,
                        List.of(new Packet.Subscription(TopicFilter.of("a"), 0, false, false, 0)),
                        Properties.NONE);

        reviewer().subscribe(client, ProtocolVersion.MQTT_5, subscribe, answers::add);
        runAll();

        assertThat(answers).containsExactly(new SubscribeOutcome.Failed());
        assertThat(order.subscribes().size()).isZero();
    }
}
