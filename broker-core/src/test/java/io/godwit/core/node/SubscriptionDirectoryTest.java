package io.godwit.core.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Questions about subscriptions, and changes of them, that no packet of a client has asked for. */
class SubscriptionDirectoryTest {
    private final TestNode node =
            new TestNode(2, LimitSettings.DEFAULTS, OverloadSettings.DEFAULTS);
    private final SubscriptionDirectory directory =
            new SubscriptionDirectory(new ClientDirectory(node.shards));

    private TestClient connect(int shard, String id, long expirySeconds) {
        TestClient client = node.open(shard, ProtocolVersion.MQTT_5);
        client.connect(id, false, expirySeconds, 0);
        node.settle();
        return client;
    }

    private <T> T answer(CompletableFuture<T> asked) {
        node.settle();
        assertThat(asked).isCompleted();
        return asked.join();
    }

    private static Packet.Subscription to(String filter, int qos) {
        return new Packet.Subscription(TopicFilter.of(filter), qos, false, false, 0);
    }

    private List<Integer> subscribe(String id, Packet.Subscription... asked) {
        byte[] codes =
                answer(directory.subscribe(ClientId.of(id), Arrays.asList(asked))).orElseThrow();
        return IntStream.range(0, codes.length).mapToObj(i -> codes[i] & 0xFF).toList();
    }

    private List<String> filters(String id) {
        return answer(directory.of(ClientId.of(id), null, 1_000)).orElseThrow().stream()
                .map(each -> each.filter() + " " + each.qos())
                .toList();
    }

    private static List<String> payloads(TestClient of) {
        List<String> all = new ArrayList<>();
        for (Packet each : of.packets()) {
            if (each instanceof Packet.Publish publish) {
                all.add(new String(publish.payload(), UTF_8));
            }
        }
        return all;
    }

    @Test
    void a_connected_client_gets_what_it_was_subscribed_to_and_is_sent_no_suback() {
        TestClient client = connect(0, "c", 1_000);
        TestClient publisher = connect(1, "p", 0);
        assertThat(subscribe("c", to("a/#", 1), to("b", 0))).containsExactly(1, 0);
        assertThat(filters("c")).containsExactly("a/# 1", "b 0");
        publisher.publish("a/x", 0, 0, "1");
        publisher.publish("b", 0, 0, "2");
        node.settle();
        List<Packet> got = client.packets();
        assertThat(got).noneMatch(Packet.SubAck.class::isInstance);
        assertThat(got).filteredOn(Packet.Publish.class::isInstance).hasSize(2);
    }

    @Test
    void a_client_that_is_away_finds_what_it_was_subscribed_to_when_it_comes() {
        connect(0, "c", 1_000).cut();
        TestClient publisher = connect(1, "p", 0);
        publisher.publish("a/retained", 0, 0, "before");
        assertThat(subscribe("c", to("a/#", 1))).containsExactly(1);
        publisher.publish("a/x", 1, 1, "1");
        node.settle();
        TestClient back = node.open(1, ProtocolVersion.MQTT_5);
        back.connect("c", false, 1_000, 0);
        node.settle();
        assertThat(payloads(back)).containsExactly("1");
        assertThat(filters("c")).containsExactly("a/# 1");
    }

    @Test
    void unsubscribes_and_says_what_was_not_there() {
        TestClient client = connect(0, "c", 1_000);
        TestClient publisher = connect(1, "p", 0);
        subscribe("c", to("a", 1));
        byte[] codes =
                answer(
                                directory.unsubscribe(
                                        ClientId.of("c"),
                                        List.of(TopicFilter.of("a"), TopicFilter.of("b"))))
                        .orElseThrow();
        assertThat(codes).containsExactly(0x00, 0x11);
        publisher.publish("a", 0, 0, "1");
        node.settle();
        assertThat(payloads(client)).isEmpty();
        assertThat(filters("c")).isEmpty();
    }

    @Test
    void nobody_is_subscribed_who_has_no_session() {
        assertThat(answer(directory.subscribe(ClientId.of("c"), List.of(to("a", 1))))).isEmpty();
        assertThat(answer(directory.unsubscribe(ClientId.of("c"), List.of(TopicFilter.of("a")))))
                .isEmpty();
        assertThat(answer(directory.of(ClientId.of("c"), null, 1))).isEmpty();
    }

    @Test
    void limits_of_the_client_hold() {
        connect(0, "c", 1_000);
        int max = LimitSettings.DEFAULTS.topicLevels();
        assertThat(subscribe("c", to("a/".repeat(max) + "b", 1), to("a", 2)))
                .containsExactly(0x8F, 2);
    }

    @Test
    void filters_of_a_session_are_read_behind_one() {
        connect(0, "c", 1_000);
        subscribe("c", to("b", 1), to("a", 1), to("c", 1), to("d", 1));
        assertThat(answer(directory.of(ClientId.of("c"), TopicFilter.of("a"), 2)).orElseThrow())
                .extracting(each -> each.filter().toString())
                .containsExactly("b", "c");
    }

    @Test
    void subscribers_of_a_topic_are_found_members_of_groups_too() {
        for (int i = 0; i < 50; i++) {
            String filter =
                    switch (i % 4) {
                        case 0 -> "a/b";
                        case 1 -> "a/#";
                        case 2 -> "$share/g/+/b";
                        default -> "other";
                    };
            connect(i % 2, "c" + i, i % 3 * 100L);
            subscribe("c" + i, to(filter, 1));
        }
        List<String> found = new ArrayList<>();
        ClientId after = null;
        boolean isEnd = false;
        while (!isEnd) {
            SubscriptionDirectory.Matches page =
                    answer(directory.matching(Topic.of("a/b"), after, 7));
            page.found().forEach(each -> found.add(each.clientId() + ""));
            after = page.last();
            isEnd = page.isEnd();
        }
        assertThat(found)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 50)
                                .filter(i -> i % 4 != 3)
                                .mapToObj(i -> "c" + i)
                                .toList());
    }

    @ParameterizedTest
    @CsvSource({
        "a, a, true",
        "a, b, false",
        "a, ab, false",
        "ab, a, false",
        "#, a/b, true",
        "#, $SYS/a, false",
        "+/a, $SYS/a, false",
        "$SYS/#, $SYS/a, true",
        "a/#, a, true",
        "a/#, a/, true",
        "a/#, a/b/c, true",
        "a/#, ab, false",
        "a/+, a, false",
        "a/+, a/, true",
        "a/+, a/b, true",
        "a/+, a/b/c, false",
        "+, a, true",
        "+, /a, false",
        "+/+, /a, true",
        "+/b/#, a/b, true",
        "+/b/#, a/c, false",
        "a/+/c, a/b/c, true"
    })
    void filters_match_topics(String filter, String topic, boolean matches) {
        assertThat(SubscriptionDirectory.matches(filter.getBytes(UTF_8), topic.getBytes(UTF_8)))
                .isEqualTo(matches);
    }
}
