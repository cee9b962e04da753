package io.godwit.durability;

import static io.godwit.durability.Clients.barrier;
import static io.godwit.durability.Clients.durable;
import static io.godwit.durability.Clients.durable31;
import static io.godwit.durability.Clients.durable311;
import static io.godwit.durability.Clients.publish;
import static io.godwit.durability.Clients.take;
import static io.godwit.durability.Clients.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.godwit.conformance.wire.ConnectBytes;
import io.godwit.conformance.wire.Frame;
import io.godwit.conformance.wire.Props;
import io.godwit.conformance.wire.PublishBytes;
import io.godwit.conformance.wire.WireClient;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What a broker that comes back still has, however it went. */
abstract class RestartContract extends HandshakeContract {
    private static final int NO_LOCAL = 0x04;
    private static final int RETAIN_AS_PUBLISHED = 0x08;

    @SideBySide
    void durable_sessions_of_every_version_are_there_and_transient_ones_are_not() {
        for (ConnectBytes each :
                List.of(durable31(id("v31")), durable311(id("v311")), durable(id("v5")))) {
            clients.connect(each).subscribe(topic("t"), 1).disconnect();
        }
        // One that is connected when the broker goes is kept as well.
        clients.connect(durable(id("online"))).subscribe(topic("t"), 1);
        clients.connect(ConnectBytes.v311(id("transient"))).subscribe(topic("t"), 1);

        restart();

        WireClient v31 = clients.connect(durable31(id("v31")));
        WireClient v311 = clients.resume(durable311(id("v311")));
        WireClient v5 = clients.resume(durable(id("v5")));
        WireClient online = clients.resume(durable(id("online")));
        WireClient gone = clients.send(durable311(id("transient")));
        assertThat(gone.accepted().sessionPresent()).isFalse();
        publish(clients.publisher(id("p")), topic("t"), 1, "hello");
        for (WireClient each : List.of(v31, v311, v5, online)) {
            each.publish("hello");
        }
        gone.quiet();
    }

    @SideBySide
    void subscriptions_keep_their_options_and_identifiers() {
        WireClient client = clients.connect(durable(id("s")));
        client.subscribe(topic("a/#"), 1 | RETAIN_AS_PUBLISHED, Props.subscriptionId(7));
        client.subscribe(topic("a/+"), 2, Props.subscriptionId(300_000));
        client.subscribe(topic("own"), 1 | NO_LOCAL);
        client.subscribe(topic("left"), 1).unsubscribe(topic("left"));
        client.subscribe(topic("changed"), 2).subscribe(topic("changed"), 0);
        publish(client, PublishBytes.v5(topic("mine")).retain().payload("kept"), 1);

        restart();

        WireClient back = clients.resume(durable(id("s")));
        WireClient publisher = clients.publisher(id("p"));
        publish(publisher, PublishBytes.v5(topic("a/b")).retain().payload("both"), 2);
        Frame.Publish both = back.publish("both");
        assertThat(both.qos()).isEqualTo(2);
        assertThat(both.properties().subscriptionIds()).contains(300_000);
        if (both.properties().subscriptionIds().size() == 1) {
            Frame.Publish other = back.publish("both");
            assertThat(other.retain()).isTrue();
            assertThat(other.qos()).isEqualTo(1);
            assertThat(other.properties().subscriptionIds()).containsExactly(7);
        } else {
            assertThat(both.properties().subscriptionIds()).containsExactly(7, 300_000);
        }
        publish(publisher, topic("left"), 1, "nobody");
        publish(publisher, topic("changed"), 1, "at most once");
        assertThat(back.publish("at most once").qos()).isZero();
        publish(back, topic("own"), 1, "not to me");
        publish(publisher, topic("own"), 1, "to me");
        back.publish("to me");
        back.subscribe(topic("mine"), 1 | NO_LOCAL);
        back.quiet(); // who published it is kept with it [MQTT-3.8.3-3]
        back.subscribe(topic("mine"), 1);
        assertThat(back.publish("kept").retain()).isTrue();
        back.quiet();
        publish(publisher, PublishBytes.v5(topic("a/b")).retain(), 1);
    }

    @SideBySide
    void what_waits_comes_in_order_with_everything_that_the_publisher_said() {
        clients.away(id("s"), topic("#"), 2);
        WireClient publisher = clients.publisher(id("p"));
        for (int i = 0; i < 60; i++) { // three pages
            publish(publisher, rich(i), 1 + i % 2);
        }

        restart();

        assertThat(node.admin().client(id("s")).get("queued").asInt()).isEqualTo(60);
        WireClient back = clients.resume(durable(id("s")));
        Map<Integer, List<Frame.Publish>> byQos =
                take(back, 60).stream().collect(Collectors.groupingBy(Frame.Publish::qos));
        for (int qos = 1; qos <= 2; qos++) {
            List<Frame.Publish> all = Objects.requireNonNull(byQos.get(qos));
            assertThat(all).hasSize(30);
            for (int at = 0; at < 30; at++) {
                checkRich(all.get(at), 2 * at + qos - 1);
            }
        }
        back.quiet();
    }

    private void checkRich(Frame.Publish one, int i) {
        assertThat(one.text()).isEqualTo("message " + i);
        assertThat(one.topic()).isEqualTo(topic("t"));
        assertThat(one.dup()).isFalse();
        assertThat(one.retain()).isFalse();
        assertThat(one.properties().number(0x01)).isEqualTo(1);
        assertThat(one.properties().number(0x02)).isBetween(3_500L, 3_600L);
        assertThat(one.properties().text(0x03)).isEqualTo("text/plain");
        assertThat(one.properties().text(0x08)).isEqualTo("answers/" + i);
        assertThat(one.properties().one(0x09)).containsExactly(0, 1, 2, i);
        assertThat(one.properties().userProperties()).containsExactly("n=" + i, "n=again");
    }

    private PublishBytes rich(int i) {
        return PublishBytes.v5(topic("t"))
                .properties(
                        Props.payloadFormat(1),
                        Props.messageExpiry(3_600),
                        Props.contentType("text/plain"),
                        Props.responseTopic("answers/" + i),
                        Props.correlationData(new byte[] {0, 1, 2, (byte) i}),
                        Props.userProperty("n", "" + i),
                        Props.userProperty("n", "again"))
                .payload("message " + i);
    }

    @SideBySide
    void retained_messages_stay_and_deleted_ones_stay_deleted() {
        WireClient publisher = clients.publisher(id("p"));
        for (int qos = 0; qos <= 2; qos++) {
            publish(publisher, retained("old/" + qos, "deleted"), qos);
            publish(publisher, retained("new/" + qos, "first"), qos);
        }
        publish(publisher, retained("last", "all before are kept"), 1);
        restart();

        WireClient after = clients.publisher(id("p"));
        for (int qos = 0; qos <= 2; qos++) {
            publish(after, retained("old/" + qos, ""), qos);
            publish(after, retained("new/" + qos, "second"), qos);
        }
        publish(after, retained("last", ""), 1);
        restart();

        WireClient subscriber = clients.connect(ConnectBytes.v5(id("s")));
        subscriber.subscribe(topic("#"), 2);
        Map<String, Frame.Publish> found = new HashMap<>();
        take(subscriber, 3).forEach(one -> found.put(one.topic(), one));
        subscriber.quiet();
        for (int qos = 0; qos <= 2; qos++) {
            Frame.Publish one = Objects.requireNonNull(found.get(topic("new/" + qos)));
            assertThat(one.qos()).isEqualTo(qos);
            assertThat(one.text()).isEqualTo("second");
            assertThat(one.retain()).isTrue();
            assertThat(one.properties().text(0x03)).isEqualTo("of second");
        }
    }

    private PublishBytes retained(String of, String payload) {
        return PublishBytes.v5(topic(of))
                .retain()
                .properties(Props.contentType("of " + payload))
                .payload(payload);
    }

    @SideBySide
    void sessions_and_messages_go_on_expiring_while_the_broker_is_down() {
        clients.connect(durable(id("short"), 2)).subscribe(topic("t"), 1).disconnect();
        clients.away(id("long"), topic("t"), 1);
        WireClient publisher = clients.publisher(id("p"));
        for (long expiry : List.of(2, 1_000)) {
            publish(
                    publisher,
                    PublishBytes.v5(topic("t"))
                            .properties(Props.messageExpiry(expiry))
                            .payload("lives " + expiry),
                    1);
            publish(
                    publisher,
                    PublishBytes.v5(topic("kept/" + expiry))
                            .retain()
                            .properties(Props.messageExpiry(expiry))
                            .payload("lives " + expiry),
                    1);
        }
        long sentMs = System.currentTimeMillis();

        down();
        await().pollInterval(Duration.ofMillis(20))
                .until(() -> System.currentTimeMillis() > sentMs + 2_100);
        node.up();

        WireClient gone = clients.send(durable(id("short")));
        assertThat(gone.accepted().sessionPresent()).isFalse();
        WireClient back = clients.resume(durable(id("long")));
        Frame.Publish alive = take(back, 1).getFirst();
        assertThat(alive.text()).isEqualTo("lives 1000");
        assertThat(alive.properties().number(0x02)).isBetween(900L, 998L);
        back.subscribe(topic("kept/#"), 1);
        Frame.Publish kept = back.publish("lives 1000");
        assertThat(kept.properties().number(0x02)).isBetween(900L, 998L);
        back.quiet();
    }

    @SideBySide
    void a_shared_group_without_a_member_online_keeps_its_messages() {
        String filter = "$share/group/" + topic("t");
        clients.away(id("one"), filter, 1);
        clients.away(id("two"), filter, 2);
        WireClient publisher = clients.publisher(id("p"));
        for (int i = 0; i < 30; i++) {
            publish(publisher, topic("t"), 1, "m" + i);
        }

        restart();

        WireClient back = clients.resume(durable(id("two")));
        assertThat(texts(back, 30))
                .isEqualTo(IntStream.range(0, 30).mapToObj(i -> "m" + i).toList());
        barrier(back);
        clients.resume(durable(id("one"))).quiet();
    }

    @SideBySide
    void client_libraries_go_on_with_their_sessions() throws Exception {
        ClientLibraries libraries = new ClientLibraries(name);
        libraries.openSessions(clients.port());
        WireClient publisher = clients.publisher(id("p"));
        publish(publisher, topic("t"), 1, "while they were away");
        libraries.takeWithoutAnswer(clients.port(), "while they were away");

        restart();

        publish(clients.publisher(id("p")), topic("t"), 2, "after the restart");
        libraries.take(clients.port(), List.of("while they were away", "after the restart"));
    }
}
