package io.godwit.server.extension.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.Authenticator;
import io.godwit.core.auth.EnhancedAuthenticator;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Subject;
import io.godwit.core.auth.Verdict;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.review.ConnectOutcome;
import io.godwit.core.review.DeliveryOutcome;
import io.godwit.core.review.PacketOutcome;
import io.godwit.core.review.PublishOutcome;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.core.review.Reviewer;
import io.godwit.core.review.UnsubscribeOutcome;
import io.godwit.extension.OnFailure;
import io.godwit.extension.auth.AuthenticationResult;
import io.godwit.extension.auth.Authorization;
import io.godwit.extension.intercept.Interception;
import io.godwit.extension.intercept.PacketPoint;
import io.godwit.extension.intercept.PublishInterceptor;
import io.godwit.extension.packet.Bytes;
import io.godwit.extension.setup.ClientSetup;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What waits while an extension is stopped to be replaced. */
class PauseTest {
    private final SteppedCalls.Clock clock = new SteppedCalls.Clock();
    private final SteppedCalls old = new SteppedCalls("x", clock);
    private final SteppedCalls next = new SteppedCalls("x", clock);
    private final SteppedCalls other = new SteppedCalls("other", clock);
    private final ReviewOrder order = new ReviewOrder();
    private final List<String> outcomes = new ArrayList<>();

    private ExtensionHooks hooks(SteppedCalls... running) {
        List<ExtensionHooks.Running> all = new ArrayList<>();
        for (SteppedCalls each : running) {
            all.add(each.running(0));
        }
        return new ExtensionHooks(all, order, 1_000);
    }

    private static Reviewer reviewer(ExtensionHooks hooks) {
        return Objects.requireNonNull(hooks.reviewer());
    }

    private static PublishInterceptor appends(String text) {
        return (from, packet) ->
                Interception.changed(packet.change().text(packet.payload().text() + text).build())
                        .now();
    }

    private void publish(Reviewer reviewer, String clientId, String topic, String payload) {
        Subject client =
                new Subject(
                        ClientId.of(clientId),
                        Identity.ofUser("user"),
                        new Peer("10.0.0.1:5000", false, "tcp"));
        ReviewedPublish message =
                new ReviewedPublish(
                        Topic.of(topic),
                        payload.getBytes(StandardCharsets.UTF_8),
                        PublishFrame.NO_PROPERTIES,
                        1,
                        false,
                        false,
                        -1,
                        false,
                        1);
        reviewer.publish(
                client,
                ProtocolVersion.MQTT_5,
                message,
                outcome -> outcomes.add(clientId + " " + text(outcome)));
    }

    private static String text(PublishOutcome outcome) {
        return outcome instanceof PublishOutcome.Go go
                ? new String(go.publish().payload(), StandardCharsets.UTF_8)
                : outcome.getClass().getSimpleName();
    }

    private void runAll() {
        while (old.runAll() + next.runAll() + other.runAll() > 0) {}
    }

    private void stopOld() {
        old.calls.close();
        old.runAll();
    }

    @Test
    void what_is_asked_meanwhile_waits_and_is_asked_of_the_new_one_in_order() {
        old.registering.publishInterceptor("x/#", appends(" old"), OnFailure.REFUSE);
        next.registering.publishInterceptor("x/#", appends(" new"), OnFailure.REFUSE);
        other.registering.publishInterceptor("#", appends(" other"), OnFailure.REFUSE);
        Reviewer before = reviewer(hooks(old, other));
        publish(before, "a", "x/1", "1");
        old.calls.pause();
        publish(before, "a", "x/1", "2");
        publish(before, "a", "y", "3");
        publish(before, "b", "y", "4");
        runAll();
        assertThat(outcomes).containsExactly("b 4 other", "a 1 old other");
        assertThat(old.calls.state().waiting()).isEqualTo(1);
        stopOld();
        ExtensionHooks after = hooks(next, other);
        publish(reviewer(after), "a", "x/1", "5");
        old.calls.resume(after);
        runAll();
        assertThat(outcomes)
                .containsExactly(
                        "b 4 other",
                        "a 1 old other",
                        "a 2 new other",
                        "a 3 other",
                        "a 5 new other");
        assertThat(order.publishes().size()).isZero();
        publish(before, "c", "x/1", "6"); // A shard that has read the old table.
        runAll();
        assertThat(outcomes).last().isEqualTo("c 6 new other");
    }

    @Test
    void what_waits_for_too_long_is_refused_or_passed_over() {
        old.registering.publishInterceptor("x/#", appends(" old"), OnFailure.REFUSE);
        old.registering.publishInterceptor("y/#", appends(" old"), OnFailure.PASS);
        Reviewer before = reviewer(hooks(old));
        old.calls.pause();
        publish(before, "a", "x/1", "1");
        publish(before, "b", "y/1", "2");
        stopOld();
        old.passMs(SteppedCalls.CALL_TIME.toMillis() - 1);
        assertThat(outcomes).isEmpty();
        old.passMs(1);
        assertThat(outcomes).containsExactly("a Failed", "b 2");
    }

    @Test
    void more_than_may_wait_is_refused() {
        old.registering.publishInterceptor("#", appends(" old"), OnFailure.REFUSE);
        Reviewer before = reviewer(hooks(old));
        old.calls.pause();
        for (int i = 0; i < 102; i++) {
            publish(before, "c" + i, "x", "1");
        }
        assertThat(outcomes).containsExactly("c100 Failed", "c101 Failed");
        assertThat(before.isFull()).isTrue();
    }

    @Test
    void extension_that_runs_no_more_lets_nothing_through_that_waited() {
        old.registering.publishInterceptor("#", appends(" old"), OnFailure.REFUSE);
        Reviewer before = reviewer(hooks(old));
        old.calls.pause();
        publish(before, "a", "x", "1");
        stopOld();
        old.calls.resume(null);
        assertThat(outcomes).containsExactly("a Failed");
    }

    @Test
    void new_one_that_asks_for_nothing_lets_go_what_waited() {
        old.registering.publishInterceptor("#", appends(" old"), OnFailure.REFUSE);
        Reviewer before = reviewer(hooks(old));
        old.calls.pause();
        publish(before, "a", "x", "1");
        stopOld();
        old.calls.resume(hooks(next));
        assertThat(outcomes).containsExactly("a 1");
    }

    private @Nullable Verdict verdict;

    private void authenticate(ExtensionHooks hooks) {
        Authenticator asked = Objects.requireNonNull(hooks.authenticators().get("x"));
        asked.authenticate(
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of("c"),
                        true,
                        0,
                        null,
                        "user",
                        null,
                        false,
                        Properties.NONE),
                new Peer("10.0.0.1:5000", false, "tcp"),
                answer -> verdict = answer);
    }

    @Test
    void connect_waits_and_the_new_one_answers() {
        old.registering.authenticator = request -> AuthenticationResult.granted("old").now();
        next.registering.authenticator = request -> AuthenticationResult.granted("new").now();
        ExtensionHooks before = hooks(old);
        old.calls.pause();
        authenticate(before);
        stopOld();
        assertThat(verdict).isNull();
        old.calls.resume(hooks(next));
        runAll();
        assertThat(verdict)
                .isInstanceOfSatisfying(
                        Verdict.Granted.class,
                        granted -> assertThat(granted.identity().userName()).isEqualTo("new"));
    }

    @Test
    void connect_is_refused_when_nobody_can_be_asked_or_in_time() {
        old.registering.authenticator = request -> AuthenticationResult.granted("old").now();
        ExtensionHooks before = hooks(old);
        old.calls.pause();
        authenticate(before);
        stopOld();
        old.passMs(SteppedCalls.CALL_TIME.toMillis());
        assertThat(verdict).isEqualTo(new Verdict.Refused(ReasonCode.SERVER_BUSY));
        verdict = null;
        authenticate(before);
        old.calls.resume(null);
        assertThat(verdict).isEqualTo(new Verdict.Refused(ReasonCode.SERVER_UNAVAILABLE));
    }

    @Test
    void authentication_that_begins_meanwhile_waits_and_one_that_has_begun_fails() {
        old.registering.methods.put("m", request -> data -> asks("old"));
        next.registering.methods.put("m", request -> data -> asks("new"));
        EnhancedAuthenticator method = Objects.requireNonNull(hooks(old).methods().get("m"));
        EnhancedAuthenticator.Exchange begun = method.begin(connect(), client("c").peer());
        begun.step(null, step -> outcomes.add("begun " + text(step)));
        runAll();
        old.calls.pause();
        begun.step(null, step -> outcomes.add("begun " + text(step)));
        EnhancedAuthenticator.Exchange later = method.begin(connect(), client("d").peer());
        later.step(null, step -> outcomes.add("later " + text(step)));
        stopOld();
        assertThat(outcomes).containsExactly("begun old", "begun failed");
        old.calls.resume(hooks(next));
        runAll();
        assertThat(outcomes).last().isEqualTo("later new");
    }

    private static CompletionStage<io.godwit.extension.auth.EnhancedAuthenticator.Step> asks(
            String text) {
        return new io.godwit.extension.auth.EnhancedAuthenticator.Step.Continue(Bytes.ofText(text))
                .now();
    }

    private static String text(EnhancedAuthenticator.Step step) {
        return step instanceof EnhancedAuthenticator.Step.Continue more && more.data() != null
                ? new String(more.data(), StandardCharsets.UTF_8)
                : "failed";
    }

    private static Packet.Connect connect() {
        return new Packet.Connect(
                ProtocolVersion.MQTT_5,
                ClientId.of("c"),
                true,
                0,
                null,
                "user",
                null,
                false,
                Properties.NONE);
    }

    // ---------------------------------------------------------------- the other kinds of calls

    private static Subject client(String clientId) {
        return new Subject(
                ClientId.of(clientId),
                Identity.ofUser("user"),
                new Peer("10.0.0.1:5000", false, "tcp"));
    }

    /** Registers what marks all that it sees with a text. */
    private static void marks(SteppedCalls extension, String text) {
        extension
                .registering
                .unsubscribeInterceptor(
                        (from, packet) ->
                                Interception.changed(packet.withTopicFilters(List.of(text))).now(),
                        OnFailure.REFUSE)
                .deliveryInterceptor(
                        "x",
                        (to, packet) ->
                                Interception.changed(packet.change().text(text).build()).now(),
                        OnFailure.REFUSE)
                .packetInterceptor(
                        PacketPoint.PUBACK_OUT,
                        (to, packet) -> Interception.changed(packet.withReason(0, text)).now())
                .connectInterceptor((origin, connect) ->
                        Interception.changed(connect.change().userName(text).build()).now());
    }

    /** Asks about an UNSUBSCRIBE, a delivery, a PUBACK and a CONNECT. */
    private void askAll(ExtensionHooks hooks, Subject of) {
        reviewer(hooks)
                .unsubscribe(
                        of,
                        ProtocolVersion.MQTT_5,
                        new Packet.Unsubscribe(1, List.of(TopicFilter.of("a")), Properties.NONE),
                        outcome ->
                                outcomes.add(
                                        outcome instanceof UnsubscribeOutcome.Go go
                                                ? "unsubscribe "
                                                        + go.unsubscribe().filters().getFirst()
                                                : "unsubscribe failed"));
        Objects.requireNonNull(hooks.deliveries())
                .delivery(
                        of,
                        ProtocolVersion.MQTT_5,
                        new ReviewedPublish(
                                Topic.of("x"),
                                new byte[0],
                                PublishFrame.NO_PROPERTIES,
                                1,
                                false,
                                false,
                                -1,
                                false,
                                1),
                        outcome ->
                                outcomes.add(
                                        outcome instanceof DeliveryOutcome.Go go
                                                ? "delivery "
                                                        + new String(
                                                                go.publish().payload(),
                                                                StandardCharsets.UTF_8)
                                                : "delivery " + outcome));
        Objects.requireNonNull(hooks.packets())
                .review(
                        of,
                        ProtocolVersion.MQTT_5,
                        new Packet.Ack(PacketType.PUBACK, 1, ReasonCode.SUCCESS, Properties.NONE),
                        true,
                        outcome ->
                                outcomes.add(
                                        "packet "
                                                + (outcome instanceof PacketOutcome.Go go
                                                        ? ((Packet.Ack) go.packet())
                                                                .properties()
                                                                .text(Property.REASON_STRING)
                                                        : "failed")));
        Objects.requireNonNull(hooks.connects())
                .connect(
                        new Packet.Connect(
                                ProtocolVersion.MQTT_5,
                                of.clientId(),
                                true,
                                0,
                                null,
                                "user",
                                null,
                                false,
                                Properties.NONE),
                        of.peer(),
                        outcome ->
                                outcomes.add(
                                        outcome instanceof ConnectOutcome.Go go
                                                ? "connect " + go.connect().userName()
                                                : "connect " + outcome));
    }

    @Test
    void every_kind_of_call_waits_and_the_new_one_answers() {
        marks(old, "old");
        marks(next, "new");
        ExtensionHooks before = hooks(old);
        old.calls.pause();
        askAll(before, client("c"));
        stopOld();
        runAll();
        assertThat(outcomes).isEmpty();
        assertThat(old.calls.state().waiting()).isEqualTo(4);
        old.calls.resume(hooks(next));
        runAll();
        assertThat(outcomes)
                .containsExactlyInAnyOrder(
                        "unsubscribe new", "delivery new", "packet new", "connect new");
        assertThat(old.calls.state().waiting()).isZero();
    }

    @Test
    void every_kind_of_call_fails_in_time_and_a_delivery_is_no_failed_one() {
        marks(old, "old");
        ExtensionHooks before = hooks(old);
        old.calls.pause();
        askAll(before, client("c"));
        stopOld();
        old.passMs(SteppedCalls.CALL_TIME.toMillis());
        assertThat(outcomes)
                .containsExactlyInAnyOrder(
                        "unsubscribe failed",
                        "delivery " + new DeliveryOutcome.NotAsked(),
                        "packet null",
                        "connect " + new ConnectOutcome.Refused(ReasonCode.SERVER_BUSY));
    }

    @Test
    void every_kind_of_call_goes_on_when_the_new_one_asks_for_nothing() {
        marks(old, "old");
        ExtensionHooks before = hooks(old);
        old.calls.pause();
        askAll(before, client("c"));
        stopOld();
        old.calls.resume(hooks(next));
        assertThat(outcomes)
                .containsExactlyInAnyOrder(
                        "unsubscribe a", "delivery ", "packet null", "connect user");
    }

    // ---------------------------------------------------------------- what is one client's own

    private final SetUpClients clients = new SetUpClients();
    private final Queue<Runnable> shard = new ArrayDeque<>();

    private Subject setUp(String clientId) {
        Subject subject = client(clientId);
        Subject made =
                subject.with(
                        clients.connecting(
                                subject,
                                ProtocolVersion.MQTT_5,
                                shard::add,
                                refusal ->
                                        shard.add(
                                                () -> outcomes.add(clientId + " in " + refusal))));
        settle();
        return made;
    }

    private void settle() {
        for (int ran = 1; ran > 0; ) {
            ran = old.runAll() + next.runAll() + other.runAll();
            for (Runnable each = shard.poll(); each != null; each = shard.poll()) {
                each.run();
                ran++;
            }
        }
    }

    private static ClientSetup denying() {
        return ClientSetup.builder()
                .publishAuthorizer(
                        (from, publish) -> Authorization.denied().now(), OnFailure.REFUSE)
                .build();
    }

    @Test
    void client_that_connects_meanwhile_is_set_up_by_the_new_one() {
        old.registering.initializer = client -> ClientSetup.none().now();
        next.registering.initializer = client -> denying().now();
        clients.running(List.of(old.running(0)));
        old.calls.pause();
        Subject in = setUp("c");
        stopOld();
        settle();
        assertThat(outcomes).isEmpty();
        clients.running(List.of(next.running(0)));
        ExtensionHooks after = hooks(next);
        old.calls.resume(after);
        settle();
        assertThat(outcomes).containsExactly("c in null");
        assertThat(reviewer(after).seesWill(in)).isTrue();
    }

    @Test
    void client_that_connects_meanwhile_is_refused_in_time() {
        old.registering.initializer = client -> ClientSetup.none().now();
        clients.running(List.of(old.running(0)));
        old.calls.pause();
        setUp("c");
        stopOld();
        old.passMs(SteppedCalls.CALL_TIME.toMillis());
        settle();
        assertThat(outcomes).containsExactly("c in " + ReasonCode.SERVER_BUSY);
    }

    @Test
    void client_waits_until_the_new_one_has_set_it_up() {
        old.registering.initializer =
                client ->
                        ClientSetup.builder()
                                .publishInterceptor("#", appends(" old"), OnFailure.REFUSE)
                                .build()
                                .now();
        next.registering.initializer =
                client ->
                        ClientSetup.builder()
                                .publishInterceptor("#", appends(" new"), OnFailure.REFUSE)
                                .build()
                                .now();
        clients.running(List.of(old.running(0)));
        Subject client = setUp("c");
        outcomes.clear();
        Reviewer before = reviewer(hooks(old));
        old.calls.pause();
        before.publish(
                client, ProtocolVersion.MQTT_5, message("t"), each -> outcomes.add(text(each)));
        stopOld();
        clients.running(List.of(next.running(0)));
        ExtensionHooks after = hooks(next);
        old.calls.resume(after);
        assertThat(outcomes).isEmpty();
        settle();
        assertThat(outcomes).containsExactly("m new");
        assertThat(order.publishes().size()).isZero();
    }

    @Test
    void authorizer_of_one_client_is_asked_about_what_has_waited_for_another_extension() {
        old.registering.publishInterceptor("#", appends(" old"), OnFailure.REFUSE);
        next.registering.publishInterceptor("#", appends(" new"), OnFailure.REFUSE);
        other.registering.initializer = client -> denying().now();
        clients.running(List.of(old.running(0), other.running(0)));
        Subject client = setUp("c");
        outcomes.clear();
        Reviewer before = reviewer(hooks(old, other));
        old.calls.pause();
        before.publish(
                client, ProtocolVersion.MQTT_5, message("t"), each -> outcomes.add(text(each)));
        stopOld();
        clients.running(List.of(next.running(0), other.running(0)));
        old.calls.resume(hooks(next, other));
        settle();
        assertThat(outcomes).containsExactly("Refused");
    }

    private static ReviewedPublish message(String topic) {
        return new ReviewedPublish(
                Topic.of(topic),
                "m".getBytes(StandardCharsets.UTF_8),
                PublishFrame.NO_PROPERTIES,
                1,
                false,
                false,
                -1,
                false,
                1);
    }
}
