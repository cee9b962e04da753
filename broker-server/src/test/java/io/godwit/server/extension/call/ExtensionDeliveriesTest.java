package io.godwit.server.extension.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.godwit.core.review.DeliveryOutcome;
import io.godwit.core.review.DeliveryReviewer;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.extension.OnFailure;
import io.godwit.extension.intercept.DeliveryInterceptor;
import io.godwit.extension.intercept.Interception;
import io.godwit.extension.packet.PublishPacket;
import io.godwit.extension.packet.ReasonCode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ExtensionDeliveriesTest {
    private static final int PACKET_MAX = 1_000;

    private final SteppedCalls.Clock clock = new SteppedCalls.Clock();
    private final SteppedCalls first = new SteppedCalls("first", clock);
    private final SteppedCalls second = new SteppedCalls("second", clock);
    private final List<DeliveryOutcome> outcomes = new ArrayList<>();
    private final List<String> seen = new ArrayList<>();

    /** The first extension is asked first, since its priority is higher. */
    private DeliveryReviewer reviewer() {
        DeliveryReviewer made =
                new ExtensionHooks(
                                List.of(second.running(1), first.running(2)),
                                new ReviewOrder(),
                                PACKET_MAX)
                        .deliveries();
        assertThat(made).isNotNull();
        return made;
    }

    private static ReviewedPublish message(String topic, String payload) {
        return new ReviewedPublish(
                Topic.of(topic),
                payload.getBytes(StandardCharsets.UTF_8),
                PublishFrame.NO_PROPERTIES,
                2,
                false,
                true,
                -1,
                false,
                7);
    }

    private void deliver(DeliveryReviewer reviewer, String client, ReviewedPublish publish) {
        reviewer.delivery(client(client), ProtocolVersion.MQTT_5, publish, outcomes::add);
    }

    private static Subject client(String id) {
        return new Subject(
                ClientId.of(id), Identity.ofUser("user"), new Peer("10.0.0.1:5000", false, "tcp"));
    }

    private void runAll() {
        int ran;
        do {
            ran = first.runAll() + second.runAll();
        } while (ran > 0);
        assertThat(first.calls.state().waiting()).isZero();
        assertThat(first.calls.state().waitingBytes()).isZero();
    }

    private DeliveryInterceptor appends(String text) {
        return (receiver, packet) -> {
            seen.add(receiver.clientId() + " " + packet.payload().text());
            return Interception.changed(
                            packet.change().text(packet.payload().text() + text).build())
                    .now();
        };
    }

    private void register(DeliveryInterceptor target, OnFailure onFailure) {
        first.registering.deliveryInterceptor("#", target, onFailure);
    }

    private static ReviewedPublish made(DeliveryOutcome outcome) {
        assertThat(outcome).isInstanceOf(DeliveryOutcome.Go.class);
        return ((DeliveryOutcome.Go) outcome).publish();
    }

    @Test
    void without_an_interceptor_nobody_reviews() {
        ExtensionHooks none =
                new ExtensionHooks(List.of(first.running(0)), new ReviewOrder(), PACKET_MAX);
        assertThat(none.deliveries()).isNull();
    }

    @Test
    void interceptor_sees_what_the_one_before_has_made() {
        second.registering.deliveryInterceptor("#", appends("-second"), OnFailure.REFUSE);
        first.registering
                .deliveryInterceptor("a/+", appends("-first"), OnFailure.REFUSE)
                .deliveryInterceptor("b", appends("-no"), OnFailure.REFUSE);
        deliver(reviewer(), "c", message("a/b", "x"));
        runAll();
        assertThat(seen).containsExactly("c x", "c x-first");
        ReviewedPublish made = made(outcomes.getFirst());
        assertThat(new String(made.payload(), StandardCharsets.UTF_8)).isEqualTo("x-first-second");
        assertThat(made.payloadIsText()).isTrue();
        assertThat(made.packetId()).isEqualTo(7);
        assertThat(made.dup()).isTrue();
    }

    @Test
    void only_what_matches_is_seen() {
        first.registering.deliveryInterceptor("a/#", appends(""), OnFailure.REFUSE);
        assertThat(reviewer().seesDelivery(client("c"), Topic.of("a/b"))).isTrue();
        assertThat(reviewer().seesDelivery(client("c"), Topic.of("b"))).isFalse();
        assertThat(reviewer().seesDelivery(client("c"), Topic.of("$SYS/a"))).isFalse();
    }

    @Test
    void qos_stays_as_it_is_and_what_is_unchanged_is_the_same() {
        register(
                (receiver, packet) ->
                        packet.payload().text().equals("same")
                                ? Interception.<PublishPacket>unchanged().now()
                                : Interception.changed(packet.change().qos(0).build()).now(),
                OnFailure.REFUSE);
        ReviewedPublish same = message("t", "same");
        deliver(reviewer(), "c", same);
        deliver(reviewer(), "c", message("t", "changed"));
        runAll();
        assertThat(made(outcomes.get(0))).isSameAs(same);
        assertThat(made(outcomes.get(1)).qos()).isEqualTo(2);
    }

    @Test
    void refused_message_is_dropped() {
        register(
                (receiver, packet) ->
                        packet.payload().text().equals("refused")
                                ? Interception.<PublishPacket>refused(ReasonCode.QUOTA_EXCEEDED)
                                        .now()
                                : Interception.<PublishPacket>dropped().now(),
                OnFailure.REFUSE);
        deliver(reviewer(), "c", message("t", "refused"));
        deliver(reviewer(), "c", message("t", "dropped"));
        runAll();
        assertThat(outcomes)
                .containsExactly(new DeliveryOutcome.Dropped(), new DeliveryOutcome.Dropped());
    }

    @Test
    void failed_call_is_no_answer_unless_it_is_passed_over() {
        register(
                (receiver, packet) -> {
                    throw new IllegalStateException("passed over");
                },
                OnFailure.PASS);
        register(
                (receiver, packet) ->
                        switch (packet.payload().text()) {
                            case "throws" -> throw new IllegalStateException("not passed over");
                            case "topic" ->
                                    Interception.changed(packet.change().topic("a/#").build())
                                            .now();
                            case "large" ->
                                    Interception.changed(
                                                    packet.change().text("x".repeat(2_000)).build())
                                            .now();
                            default -> Interception.<PublishPacket>unchanged().now();
                        },
                OnFailure.REFUSE);
        for (String each : List.of("throws", "topic", "large", "x")) {
            deliver(reviewer(), "c", message("t", each));
        }
        runAll();
        assertThat(outcomes.subList(0, 3)).allMatch(DeliveryOutcome.Failed.class::isInstance);
        assertThat(outcomes.get(3)).isInstanceOf(DeliveryOutcome.Go.class);
        assertThat(first.state(CallKind.DELIVERY_INTERCEPTOR).passed()).isEqualTo(4);
    }

    @Test
    void message_that_was_never_shown_is_told_apart_from_a_failed_call() {
        register(
                (receiver, packet) -> {
                    throw new IllegalStateException("test");
                },
                OnFailure.REFUSE);
        DeliveryReviewer reviewer = reviewer();
        for (int i = 0; i < 101; i++) {
            deliver(reviewer, "c" + i, message("t", "x"));
        }
        assertThat(outcomes).as("full").containsExactly(new DeliveryOutcome.NotAsked());
        runAll();
        assertThat(outcomes).hasSize(101).last().isEqualTo(new DeliveryOutcome.Failed());
        deliver(reviewer, "c", message("t", "x"));
        runAll();
        assertThat(outcomes).as("breaker").last().isEqualTo(new DeliveryOutcome.NotAsked());
        first.calls.close();
        deliver(reviewer, "c", message("t", "x"));
        runAll();
        assertThat(outcomes).as("stopped").last().isEqualTo(new DeliveryOutcome.NotAsked());
    }

    @Test
    void messages_of_one_client_are_shown_one_by_one_and_others_do_not_wait() {
        List<CompletableFuture<Interception<PublishPacket>>> answers = new ArrayList<>();
        register(
                (receiver, packet) -> {
                    seen.add(receiver.clientId() + " " + packet.payload().text());
                    CompletableFuture<Interception<PublishPacket>> later =
                            new CompletableFuture<>();
                    answers.add(later);
                    return later;
                },
                OnFailure.REFUSE);
        DeliveryReviewer reviewer = reviewer();
        deliver(reviewer, "slow", message("t", "1"));
        deliver(reviewer, "slow", message("t", "2"));
        deliver(reviewer, "other", message("t", "3"));
        first.runAll();
        assertThat(seen).containsExactly("slow 1", "other 3");
        answers.get(0).complete(Interception.unchanged());
        first.runAll();
        assertThat(seen).containsExactly("slow 1", "other 3", "slow 2");
        answers.forEach(each -> each.complete(Interception.unchanged()));
        runAll();
        assertThat(outcomes).hasSize(3);
    }

    @Test
    void payload_that_all_receivers_share_does_not_fill_the_extension() {
        register(
                (receiver, packet) -> Interception.<PublishPacket>unchanged().now(),
                OnFailure.REFUSE);
        DeliveryReviewer reviewer = reviewer();
        ReviewedPublish large = message("t", "x".repeat(50_000));
        for (int i = 0; i < 50; i++) {
            deliver(reviewer, "c" + i, large);
        }
        assertThat(reviewer.isFull(client("c"))).isFalse();
        for (int i = 0; i < 30; i++) {
            deliver(reviewer, "d" + i, large);
        }
        assertThat(reviewer.isFull(client("c"))).isTrue();
        runAll();
        assertThat(outcomes).hasSize(80).allMatch(DeliveryOutcome.Go.class::isInstance);
    }
}
