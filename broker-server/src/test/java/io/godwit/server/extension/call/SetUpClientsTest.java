package io.godwit.server.extension.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.auth.AccessControl;
import io.godwit.core.auth.ClientSettings;
import io.godwit.core.auth.ConnectionSetup;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.review.ConnectionSetups;
import io.godwit.core.review.DeliveryOutcome;
import io.godwit.core.review.DeliveryReviewer;
import io.godwit.core.review.PacketOutcome;
import io.godwit.core.review.PacketReviewer;
import io.godwit.core.review.Permission;
import io.godwit.core.review.PublishOutcome;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.core.review.Reviewer;
import io.godwit.core.review.UnsubscribeOutcome;
import io.godwit.extension.OnFailure;
import io.godwit.extension.access.AccessRule;
import io.godwit.extension.access.AccessRules;
import io.godwit.extension.auth.Authorization;
import io.godwit.extension.client.Client;
import io.godwit.extension.intercept.DeliveryInterceptor;
import io.godwit.extension.intercept.Interception;
import io.godwit.extension.intercept.PacketPoint;
import io.godwit.extension.intercept.PublishInterceptor;
import io.godwit.extension.packet.Bytes;
import io.godwit.extension.service.ConnectionAttributes;
import io.godwit.extension.setup.ClientSetup;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SetUpClientsTest {
    private final SteppedCalls.Clock clock = new SteppedCalls.Clock();
    private final SteppedCalls first = new SteppedCalls("first", clock);
    private final SteppedCalls second = new SteppedCalls("second", clock);
    private final SetUpClients clients = new SetUpClients();
    private final ReviewOrder order = new ReviewOrder();
    private final Queue<Runnable> shard = new ArrayDeque<>();
    private final List<String> answers = new ArrayList<>();
    private final ConnectionSetups.Connection connection = shard::add;

    /** The first extension is asked first, since its priority is higher. */
    private List<ExtensionHooks.Running> both() {
        return List.of(second.running(1), first.running(2));
    }

    private static Subject subject(String clientId) {
        Identity identity =
                new Identity("user", List.of(), Map.of("shelf", "7"), null, 0, ClientSettings.NODE);
        return new Subject(
                ClientId.of(clientId), identity, new Peer("10.0.0.1:5000", false, "tcp"));
    }

    private Subject connecting(String clientId) {
        Subject subject = subject(clientId);
        ConnectionSetup setup =
                clients.connecting(
                        subject,
                        ProtocolVersion.MQTT_5,
                        connection,
                        refusal -> shard.add(() -> answers.add(clientId + " " + refusal)));
        return subject.with(setup);
    }

    private Subject connected(String clientId) {
        Subject subject = subject(clientId);
        return subject.with(clients.connected(subject, ProtocolVersion.MQTT_5, connection));
    }

    private void runAll() {
        for (boolean ran = true; ran; ) {
            ran = first.runAll() + second.runAll() > 0;
            for (Runnable next = shard.poll(); next != null; next = shard.poll()) {
                next.run();
                ran = true;
            }
        }
    }

    private static PublishInterceptor appends(String text) {
        return (client, publish) ->
                Interception.changed(publish.change().text(publish.payload().text() + text).build())
                        .now();
    }

    private static ClientSetup appending(String text) {
        return ClientSetup.builder()
                .publishInterceptor("#", appends(text), OnFailure.REFUSE)
                .build();
    }

    private static ClientSetup ruled(String topic) {
        return ClientSetup.builder()
                .rules(AccessRules.of(AccessRule.allow().topic(topic).build()))
                .build();
    }

    private static @Nullable AccessControl rules(Subject client) {
        ConnectionSetup setup = client.setup();
        assertThat(setup).isNotNull();
        return setup.access();
    }

    private static boolean mayPublish(Subject client, String topic) {
        AccessControl rules = rules(client);
        return rules != null && rules.of(client).mayPublish(Topic.of(topic), 0, false);
    }

    private Reviewer reviewer(List<ExtensionHooks.Running> running) {
        Reviewer made = new ExtensionHooks(running, order, 1_000).reviewer();
        assertThat(made).isNotNull();
        return made;
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

    private PublishOutcome reviewed(Reviewer reviewer, Subject client, String topic) {
        List<PublishOutcome> outcomes = new ArrayList<>();
        reviewer.publish(client, ProtocolVersion.MQTT_5, message(topic), outcomes::add);
        runAll();
        assertThat(outcomes).hasSize(1);
        return outcomes.getFirst();
    }

    private String payload(Reviewer reviewer, Subject client) {
        PublishOutcome outcome = reviewed(reviewer, client, "t");
        assertThat(outcome).isInstanceOf(PublishOutcome.Go.class);
        return new String(
                ((PublishOutcome.Go) outcome).publish().payload(), StandardCharsets.UTF_8);
    }

    @Test
    void client_connects_when_all_initializers_have_answered_in_order() {
        List<String> asked = new ArrayList<>();
        second.registering.initializer =
                client -> {
                    asked.add("second " + client.clientId());
                    return ruled("b").now();
                };
        CompletableFuture<ClientSetup> later = new CompletableFuture<>();
        first.registering.initializer =
                client -> {
                    asked.add("first " + client.clientId());
                    return later;
                };
        assertThat(clients.running(both())).isTrue();
        Subject client = connecting("c");
        runAll();
        assertThat(asked).containsExactly("first c");
        assertThat(answers).isEmpty();
        later.complete(ruled("a"));
        runAll();

        assertThat(asked).containsExactly("first c", "second c");
        assertThat(answers).containsExactly("c null");
        assertThat(mayPublish(client, "a")).as("rules of the higher priority").isTrue();
        assertThat(mayPublish(client, "b")).isFalse();
    }

    @Test
    void initializer_that_does_not_answer_keeps_the_client_out() {
        first.registering.initializer = client -> CompletableFuture.failedFuture(new Exception());
        clients.running(both());
        connecting("c");
        runAll();
        assertThat(answers).containsExactly("c " + ReasonCode.SERVER_UNAVAILABLE);

        first.registering.initializer =
                client ->
                        ClientSetup.builder()
                                .publishInterceptor("a#", appends("x"), OnFailure.PASS)
                                .build()
                                .now();
        clients.running(both());
        connecting("d");
        runAll();
        assertThat(answers).last().isEqualTo("d " + ReasonCode.SERVER_UNAVAILABLE);
        assertThat(first.state(CallKind.INITIALIZER).failed(CallFailure.INVALID)).isPositive();
    }

    @Test
    void interceptors_of_a_client_come_behind_those_of_their_extension_and_see_it_alone() {
        first.registering.publishInterceptor("#", appends(" first"), OnFailure.REFUSE).initializer =
                client ->
                        (client.clientId().equals("c") ? appending(" own") : ClientSetup.none())
                                .now();
        second.registering.publishInterceptor("#", appends(" second"), OnFailure.REFUSE);
        clients.running(both());
        Subject own = connecting("c");
        Subject other = connecting("d");
        runAll();
        Reviewer reviewer = reviewer(both());

        assertThat(payload(reviewer, own)).isEqualTo("m first own second");
        assertThat(payload(reviewer, other)).isEqualTo("m first second");
    }

    private static final DeliveryInterceptor DELIVERS =
            (client, publish) ->
                    Interception.changed(
                                    publish.change()
                                            .text(publish.payload().text() + " own")
                                            .build())
                            .now();

    /** Has everything but authorizers. */
    private static ClientSetup intercepting() {
        return ClientSetup.builder()
                .deliveryInterceptor("t", DELIVERS, OnFailure.REFUSE)
                .unsubscribeInterceptor(
                        (client, packet) ->
                                Interception.changed(packet.withTopicFilters(List.of("own"))).now(),
                        OnFailure.REFUSE)
                .packetInterceptor(
                        PacketPoint.PUBACK_OUT,
                        (client, packet) ->
                                Interception.changed(packet.withReason(0x10, "own")).now())
                .build();
    }

    private String delivered(DeliveryReviewer reviewer, Subject client) {
        List<DeliveryOutcome> outcomes = new ArrayList<>();
        reviewer.delivery(client, ProtocolVersion.MQTT_5, message("t"), outcomes::add);
        runAll();
        assertThat(outcomes).hasSize(1);
        assertThat(outcomes.getFirst()).isInstanceOf(DeliveryOutcome.Go.class);
        return new String(
                ((DeliveryOutcome.Go) outcomes.getFirst()).publish().payload(),
                StandardCharsets.UTF_8);
    }

    @Test
    void deliveries_of_a_client_are_shown_to_its_own_interceptors() {
        first.registering.deliveryInterceptor(
                                "t",
                                (client, publish) ->
                                        Interception.changed(publish.change().text("first").build())
                                                .now(),
                                OnFailure.REFUSE)
                        .initializer =
                client ->
                        (client.clientId().equals("c") ? intercepting() : ClientSetup.none()).now();
        clients.running(both());
        Subject own = connecting("c");
        Subject other = connecting("d");
        runAll();
        DeliveryReviewer reviewer = new ExtensionHooks(both(), order, 1_000).deliveries();
        assertThat(reviewer).isNotNull();
        assertThat(delivered(reviewer, own)).isEqualTo("first own");
        assertThat(delivered(reviewer, other)).isEqualTo("first");
    }

    @Test
    void client_without_interceptors_of_its_own_is_seen_by_nobody() {
        first.registering.initializer =
                client ->
                        (client.clientId().equals("c") ? intercepting() : ClientSetup.none()).now();
        clients.running(both());
        Subject own = connecting("c");
        Subject other = connecting("d");
        runAll();
        ExtensionHooks hooks = new ExtensionHooks(both(), order, 1_000);
        DeliveryReviewer deliveries = hooks.deliveries();
        PacketReviewer packets = hooks.packets();
        Reviewer reviewer = reviewer(both());
        assertThat(deliveries).isNotNull();
        assertThat(packets).isNotNull();

        assertThat(deliveries.seesDelivery(own, Topic.of("t"))).isTrue();
        assertThat(deliveries.seesDelivery(own, Topic.of("u"))).isFalse();
        assertThat(deliveries.seesDelivery(other, Topic.of("t"))).isFalse();
        assertThat(packets.sees(own, PacketType.PUBACK, true)).isTrue();
        assertThat(packets.sees(own, PacketType.PUBACK, false)).isFalse();
        assertThat(packets.sees(other, PacketType.PUBACK, true)).isFalse();
        assertThat(reviewer.seesUnsubscribes(own)).isTrue();
        assertThat(reviewer.seesUnsubscribes(other)).isFalse();
    }

    @Test
    void unsubscribes_and_packets_of_a_client_are_shown_to_its_own_interceptors() {
        first.registering.initializer = client -> intercepting().now();
        clients.running(both());
        Subject client = connecting("c");
        runAll();
        List<UnsubscribeOutcome> unsubscribed = new ArrayList<>();
        reviewer(both())
                .unsubscribe(
                        client,
                        ProtocolVersion.MQTT_5,
                        new Packet.Unsubscribe(1, List.of(TopicFilter.of("a")), Properties.NONE),
                        unsubscribed::add);
        List<PacketOutcome> reviewed = new ArrayList<>();
        PacketReviewer packets = new ExtensionHooks(both(), order, 1_000).packets();
        assertThat(packets).isNotNull();
        packets.review(
                client,
                ProtocolVersion.MQTT_5,
                new Packet.Ack(PacketType.PUBACK, 1, ReasonCode.SUCCESS, Properties.NONE),
                true,
                reviewed::add);
        runAll();
        assertThat(unsubscribed)
                .containsExactly(
                        new UnsubscribeOutcome.Go(
                                new Packet.Unsubscribe(
                                        1, List.of(TopicFilter.of("own")), Properties.NONE)));
        assertThat(reviewed)
                .singleElement()
                .isInstanceOfSatisfying(
                        PacketOutcome.Go.class,
                        go ->
                                assertThat(((Packet.Ack) go.packet()).reason())
                                        .isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS));
    }

    @Test
    void interceptor_is_removed_from_the_setup_that_holds() {
        first.registering.initializer = client -> intercepting().now();
        clients.running(both());
        Subject client = connecting("c");
        runAll();
        DeliveryReviewer reviewer = new ExtensionHooks(both(), order, 1_000).deliveries();
        assertThat(reviewer).isNotNull();
        Client shown = Packets.client(client, ProtocolVersion.MQTT_5);
        ExtensionSetups service = new ExtensionSetups(clients, first.calls);
        ClientSetup current = service.current(shown).orElseThrow();
        ClientSetup without = current.change().remove(DELIVERS).build();
        assertThat(without.packetInterceptors()).isEqualTo(current.packetInterceptors());
        service.replace(shown, without);
        assertThat(reviewer.seesDelivery(client, Topic.of("t"))).isTrue();
        runAll();
        assertThat(reviewer.seesDelivery(client, Topic.of("t"))).isFalse();
        assertThat(service.current(shown)).contains(without);
        assertThat(new ExtensionSetups(clients, second.calls).current(shown)).isEmpty();
    }

    @Test
    void authorizers_of_a_client_are_asked_about_it_alone_and_others_stay_unseen() {
        first.registering.initializer =
                client ->
                        (client.clientId().equals("c")
                                        ? ClientSetup.builder()
                                                .publishAuthorizer(
                                                        (it, publish) ->
                                                                Authorization.denied().now(),
                                                        OnFailure.REFUSE)
                                                .build()
                                        : ClientSetup.none())
                                .now();
        clients.running(both());
        Subject own = connecting("c");
        Subject other = connecting("d");
        runAll();
        Reviewer reviewer = reviewer(both());

        assertThat(reviewer.seesPublish(other, Topic.of("t"))).isFalse();
        assertThat(reviewer.seesWill(other)).isFalse();
        assertThat(reviewer.seesPublish(own, Topic.of("t"))).isTrue();
        assertThat(reviewer.seesWill(own)).isTrue();
        assertThat(reviewed(reviewer, own, "t"))
                .isEqualTo(new PublishOutcome.Refused(ReasonCode.NOT_AUTHORIZED));
    }

    @Test
    void connected_clients_change_over_when_an_extension_is_replaced() {
        first.registering.initializer = client -> appending(" v1").now();
        clients.running(both());
        Subject client = connecting("c");
        runAll();
        Reviewer before = reviewer(both());
        assertThat(payload(before, client)).isEqualTo("m v1");

        SteppedCalls next = new SteppedCalls("first", clock);
        next.registering.initializer = it -> appending(" v2").now();
        List<ExtensionHooks.Running> replaced = List.of(second.running(1), next.running(2));
        Reviewer after = reviewer(replaced);
        clients.running(replaced);
        assertThat(payload(after, client)).as("until the new one has answered").isEqualTo("m v1");
        next.runAll();
        runAll();

        PublishOutcome[] outcome = new PublishOutcome[1];
        after.publish(
                client,
                ProtocolVersion.MQTT_5,
                new ReviewedPublish(
                        Topic.of("t"),
                        new byte[0],
                        PublishFrame.NO_PROPERTIES,
                        0,
                        false,
                        false,
                        -1,
                        false,
                        0),
                made -> outcome[0] = made);
        next.runAll();
        assertThat(outcome[0]).isInstanceOf(PublishOutcome.Go.class);
        assertThat(((PublishOutcome.Go) outcome[0]).publish().payload())
                .isEqualTo(" v2".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void client_keeps_what_it_had_when_the_next_initializer_fails() {
        first.registering.initializer = client -> ruled("a").now();
        clients.running(both());
        Subject client = connecting("c");
        runAll();
        SteppedCalls next = new SteppedCalls("first", clock);
        next.registering.initializer =
                it -> {
                    throw new IllegalStateException("test");
                };
        clients.running(List.of(next.running(2)));
        next.runAll();
        runAll();

        assertThat(mayPublish(client, "a")).isTrue();
        assertThat(next.state(CallKind.INITIALIZER).failed(CallFailure.EXCEPTION)).isEqualTo(1);
    }

    @Test
    void what_a_client_keeps_of_a_stopped_extension_lets_nothing_through_until_it_comes_back() {
        first.registering.initializer = client -> intercepting().now();
        clients.running(both());
        Subject client = connecting("c");
        runAll();
        SteppedCalls next = new SteppedCalls("first", clock);
        next.registering.initializer =
                it -> {
                    throw new IllegalStateException("test");
                };
        List<ExtensionHooks.Running> replaced = List.of(next.running(2));
        clients.running(replaced);
        next.runAll();
        runAll();
        first.calls.close();
        DeliveryReviewer reviewer = new ExtensionHooks(replaced, order, 1_000).deliveries();
        assertThat(reviewer).isNotNull();
        List<DeliveryOutcome> outcomes = new ArrayList<>();
        reviewer.delivery(client, ProtocolVersion.MQTT_5, message("t"), outcomes::add);
        assertThat(outcomes).containsExactly(new DeliveryOutcome.NotAsked());

        next.registering.initializer = it -> ClientSetup.none().now();
        clients.running(List.of(next.running(2)));
        Subject again = connecting("c");
        next.runAll();
        runAll();
        assertThat(reviewer.seesDelivery(again, Topic.of("t"))).isFalse();
    }

    @Test
    void what_a_stopped_extension_has_set_up_is_gone() {
        first.registering.initializer = client -> ruled("a").now();
        clients.running(both());
        Subject client = connecting("c");
        runAll();
        assertThat(clients.running(List.of(second.running(1)))).isFalse();
        runAll();

        assertThat(rules(client)).isNull();
        assertThat(client.setup())
                .isInstanceOfSatisfying(
                        SetUpClient.class, own -> assertThat(own.setups()).isEmpty());
    }

    @Test
    void initializer_is_asked_about_connected_clients_some_at_a_time() {
        clients.running(both());
        List<Subject> many = new ArrayList<>();
        for (int i = 0; i < 3 * SetUpClients.CHANGING_MAX; i++) {
            many.add(connected("c" + i));
        }
        runAll();
        List<CompletableFuture<ClientSetup>> asked = new ArrayList<>();
        first.registering.initializer =
                client -> {
                    asked.add(new CompletableFuture<>());
                    return asked.getLast();
                };
        clients.running(both());
        runAll();
        assertThat(asked).hasSize(SetUpClients.CHANGING_MAX);
        for (int i = 0; i < many.size(); i++) {
            asked.get(i).complete(ruled("a"));
            runAll();
        }

        assertThat(asked).hasSameSizeAs(many);
        assertThat(many).allMatch(each -> mayPublish(each, "a"));
    }

    @Test
    void extension_replaces_its_setup_of_a_client() {
        first.registering.initializer = client -> ruled("a").now();
        clients.running(both());
        Subject client = connecting("c");
        runAll();
        Client shown = Packets.client(client, ProtocolVersion.MQTT_5);
        ExtensionSetups service = new ExtensionSetups(clients, first.calls);

        CompletableFuture<Boolean> done = service.replace(shown, ruled("b")).toCompletableFuture();
        assertThat(mayPublish(client, "b")).isFalse();
        runAll();
        assertThat(mayPublish(client, "b")).isTrue();
        assertThat(done.join()).isTrue();

        ClientSetup bad =
                ClientSetup.builder()
                        .publishInterceptor("$share/g/a", appends("x"), OnFailure.PASS)
                        .build();
        assertThatThrownBy(() -> service.replace(shown, bad).toCompletableFuture().join())
                .hasCauseInstanceOf(IllegalArgumentException.class);
        ConnectionSetup setup = client.setup();
        assertThat(setup).isNotNull();
        setup.ended();
        assertThat(service.replace(shown, ruled("c")).toCompletableFuture().join()).isFalse();
        assertThat(clients.size()).isZero();
    }

    @Test
    void rules_of_setups_decide_where_authorizers_do_not() {
        first.registering.publishAuthorizer(
                                (client, publish) -> Authorization.undecided().now(),
                                OnFailure.REFUSE)
                        .initializer =
                client -> ruled("a").now();
        clients.running(both());
        Subject client = connecting("c");
        runAll();
        PublishOutcome outcome = reviewed(reviewer(both()), client, "t");
        assertThat(outcome).isInstanceOf(PublishOutcome.Go.class);
        assertThat(((PublishOutcome.Go) outcome).permission()).isEqualTo(Permission.BY_RULES_ALONE);
    }

    @Test
    void attributes_are_bounded_counted_and_gone_with_their_connection() {
        clients.running(both());
        Subject client = connected("c");
        Client shown = Packets.client(client, ProtocolVersion.MQTT_5);
        ConnectionAttributes attributes = new ExtensionAttributes(clients);
        assertThat(attributes.all(shown)).containsOnly(Map.entry("shelf", Bytes.ofText("7")));
        assertThat(attributes.put(shown, "shelf", "12")).isTrue();
        assertThat(attributes.get(shown, "shelf")).contains(Bytes.ofText("12"));
        assertThat(clients.attributeBytes()).isEqualTo(7);
        assertThat(attributes.remove(shown, "shelf")).contains(Bytes.ofText("12"));
        assertThat(clients.attributeBytes()).isZero();

        for (int i = 0; i < ConnectionAttributes.COUNT_MAX; i++) {
            attributes.put(shown, "n" + i, "");
        }
        assertThatThrownBy(() -> attributes.put(shown, "more", ""))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("1000");
        Bytes large = Bytes.wrap(new byte[ConnectionAttributes.BYTES_MAX]);
        assertThatThrownBy(() -> attributes.put(shown, "n1", large))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("65536");
        assertThat(attributes.get(shown, "n1")).contains(Bytes.EMPTY);

        ConnectionSetup setup = client.setup();
        assertThat(setup).isNotNull();
        setup.ended();
        assertThat(attributes.put(shown, "n1", "x")).isFalse();
        assertThat(attributes.all(shown)).isEmpty();
        assertThat(clients.attributeBytes()).isZero();
    }
}
