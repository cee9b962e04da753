package io.godwit.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.godwit.clients.TestClient.Connection;
import io.godwit.clients.TestClient.Endpoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What every client library can do with the broker, over every transport that it has. Side by side,
 * since some libraries sleep a third of a second in each connect.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(180)
abstract class ExchangeContract {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int TEN_MIB = 10 * 1024 * 1024;

    private final Transport transport;
    private final BrokerUnderTest broker = BrokerUnderTest.shared();
    private final List<AutoCloseable> open = new ArrayList<>();
    private String topics = "";

    ExchangeContract(Transport transport) {
        this.transport = transport;
    }

    /** A client that is not connected yet. */
    abstract TestClient client(Endpoint endpoint) throws Exception;

    /** Whether CONNACK says that the session is there: not in MQTT 3.1. */
    boolean knowsSessionPresent() {
        return true;
    }

    @BeforeEach
    void choose_topics_that_no_other_test_has() {
        if (!broker.has(transport)) {
            String sentence = "NOT RUN: this broker has no listener of type " + transport;
            System.err.println(sentence);
            Assumptions.abort(sentence);
        }
        topics = "t" + HexFormat.of().toHexDigits(System.nanoTime());
    }

    @AfterEach
    void close_what_is_open() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    @Test
    void a_wildcard_subscription_gets_what_it_matches_and_nothing_else() throws Exception {
        TestClient reader = connected("reader");
        reader.subscribe(topics + "/+/temperature", 1);
        reader.subscribe(topics + "/house/#", 1);
        TestClient writer = connected("writer");

        for (String topic :
                List.of("kitchen/temperature", "kitchen/humidity", "house", "a/b/temperature")) {
            writer.publish(Delivery.of(topics + "/" + topic, topic, 1));
        }
        writer.publish(Delivery.of(topics + "/house/cellar/door", "last", 1));

        assertThat(receive(reader, 3))
                .extracting(Delivery::text)
                .containsExactly("kitchen/temperature", "house", "last");
    }

    @Test
    void every_qos_reaches_every_granted_qos() throws Exception {
        TestClient reader = connected("reader");
        for (int granted = 0; granted <= 2; granted++) {
            reader.subscribe(topics + "/granted" + granted, granted);
        }
        TestClient writer = connected("writer");

        for (int granted = 0; granted <= 2; granted++) {
            for (int sent = 0; sent <= 2; sent++) {
                writer.publish(Delivery.of(topics + "/granted" + granted, "sent" + sent, sent));
            }
        }

        assertThat(receive(reader, 9))
                .extracting(
                        d -> d.topic().substring(topics.length()), Delivery::text, Delivery::qos)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 9)
                                .mapToObj(i ->
                                        tuple(
                                                "/granted" + i / 3,
                                                "sent" + i % 3,
                                                Math.min(i / 3, i % 3)))
                                .toList());
    }

    @Test
    void a_retained_message_waits_for_subscribers_until_an_empty_one_clears_it() throws Exception {
        TestClient writer = connected("writer");
        Delivery kept = Delivery.of(topics + "/kept", "kept", 1).retained();
        writer.publish(kept);

        TestClient first = connected("first");
        first.subscribe(topics + "/+", 1);
        assertThat(first.receive(SOON)).isEqualTo(kept);
        TestClient exact = connected("exact");
        exact.subscribe(topics + "/kept", 1);
        assertThat(exact.receive(SOON)).isEqualTo(kept);

        writer.publish(new Delivery(topics + "/kept", new byte[0], 1, true));
        assertThat(first.receive(SOON))
                .isEqualTo(new Delivery(topics + "/kept", new byte[0], 1, false));
        TestClient second = connected("second");
        second.subscribe(topics + "/+", 1);
        writer.publish(Delivery.of(topics + "/after", "after", 1));
        assertThat(second.receive(SOON)).isEqualTo(Delivery.of(topics + "/after", "after", 1));
    }

    @Test
    void a_will_is_published_when_the_connection_breaks_and_not_after_a_disconnect()
            throws Exception {
        TestClient watcher = connected("watcher");
        watcher.subscribe(topics + "/will/#", 2);
        CuttingProxy proxy = proxy();

        TestClient polite = client(new Endpoint(broker, transport, proxy.port()));
        open.add(polite);
        polite.connect(clean("polite").withWill(Delivery.of(topics + "/will/no", "no", 1)));
        polite.disconnect();
        TestClient broken = client(new Endpoint(broker, transport, proxy.port()));
        open.add(broken);
        broken.connect(clean("broken").withWill(Delivery.of(topics + "/will/yes", "yes", 1)));
        proxy.cut();

        assertThat(watcher.receive(SOON)).isEqualTo(Delivery.of(topics + "/will/yes", "yes", 1));
    }

    @Test
    void a_shared_subscription_gives_each_message_to_one_member() throws Exception {
        TestClient left = connected("left");
        TestClient right = connected("right");
        left.subscribe("$share/group/" + topics + "/#", 1);
        right.subscribe("$share/group/" + topics + "/#", 1);
        TestClient writer = connected("writer");

        for (int i = 0; i < 20; i++) {
            writer.publish(Delivery.of(topics + "/work", "job" + i, 1));
        }

        List<Delivery> lefts = receive(left, 10);
        List<Delivery> rights = receive(right, 10);
        assertThat(Stream.concat(lefts.stream(), rights.stream()))
                .extracting(Delivery::text)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 20).mapToObj(i -> "job" + i).toList());
    }

    @Test
    void ten_mebibytes_arrive_unchanged() throws Exception {
        TestClient reader = connected("reader");
        reader.subscribe(topics + "/large", 1);
        byte[] payload = new byte[TEN_MIB];
        new Random(10).nextBytes(payload);

        TestClient writer = connected("writer");
        writer.publish(new Delivery(topics + "/large", payload, 1, false));

        assertThat(reader.receive(SOON))
                .isEqualTo(new Delivery(topics + "/large", payload, 1, false));
    }

    @Test
    void a_session_keeps_subscriptions_and_messages_while_its_client_is_away() throws Exception {
        CuttingProxy proxy = proxy();
        TestClient before = client(new Endpoint(broker, transport, proxy.port()));
        open.add(before);
        assertThat(before.connect(Connection.persistent(topics + "sleeper"))).isFalse();
        before.subscribe(topics + "/one", 1);
        before.subscribe(topics + "/two", 2);
        proxy.cut();

        TestClient writer = connected("writer");
        List<Delivery> sent = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            sent.add(Delivery.of(topics + "/one", "m" + i, 1));
            sent.add(Delivery.of(topics + "/two", "m" + i, 2));
        }
        for (Delivery each : sent) {
            writer.publish(each);
        }

        TestClient after = client(new Endpoint(broker, transport, proxy.port()));
        open.add(after);
        boolean sessionPresent = after.connect(Connection.persistent(topics + "sleeper"));
        assertThat(sessionPresent).isEqualTo(knowsSessionPresent());
        List<Delivery> received = receive(after, 8);
        for (int qos = 1; qos <= 2; qos++) {
            assertThat(ofQos(received, qos)).isEqualTo(ofQos(sent, qos));
        }
        after.disconnect();
        TestClient end = client(new Endpoint(broker, transport, broker.port(transport)));
        open.add(end);
        assertThat(end.connect(clean("sleeper"))).isFalse();
    }

    private TestClient connected(String name) throws Exception {
        TestClient client = client(new Endpoint(broker, transport, broker.port(transport)));
        open.add(client);
        assertThat(client.connect(clean(name))).isFalse();
        return client;
    }

    private Connection clean(String name) {
        return Connection.clean(topics + name);
    }

    private CuttingProxy proxy() {
        CuttingProxy proxy = new CuttingProxy(broker.host(), broker.port(transport));
        open.add(proxy);
        return proxy;
    }

    private static List<Delivery> receive(TestClient client, int count) throws Exception {
        List<Delivery> all = new ArrayList<>();
        while (all.size() < count) {
            @Nullable Delivery next = client.receive(SOON);
            if (next == null) {
                return Assertions.fail("after " + all + " nothing came");
            }
            all.add(next);
        }
        return all;
    }

    private static List<Delivery> ofQos(List<Delivery> all, int qos) {
        return all.stream().filter(d -> d.qos() == qos).toList();
    }
}
