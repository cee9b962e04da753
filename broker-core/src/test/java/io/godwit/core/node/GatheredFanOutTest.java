package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Large fan-outs that follow each other are flushed together, channel by channel. */
class GatheredFanOutTest {
    private static final int SUBSCRIBERS = 100;
    private static final int MESSAGES = 30;

    private final TestNode node =
            new TestNode(2, LimitSettings.DEFAULTS, OverloadSettings.DEFAULTS);
    private final List<TestClient> subscribers = new ArrayList<>();
    private final TestClient publisher = node.client(0, "p");
    private int published;

    private void subscribe(int qos) {
        for (int i = 0; i < SUBSCRIBERS; i++) {
            subscribers.add(node.subscriber(i % 2, "s" + i, qos, "t", "own/" + i));
        }
    }

    private void publish(int qos) {
        publisher.publish("t", qos, qos * ++published, String.valueOf(published));
        node.loops[0].step();
        node.loops[1].step();
    }

    private List<Integer> flushes() {
        return subscribers.stream().map(s -> s.wire.flushes()).toList();
    }

    private static String[] payloads(int count) {
        return IntStream.rangeClosed(1, count).mapToObj(String::valueOf).toArray(String[]::new);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void the_first_leaves_at_once_and_what_follows_together(int qos) {
        subscribe(qos);
        List<Integer> before = flushes();
        publish(qos);
        for (int i = 0; i < SUBSCRIBERS; i++) {
            assertThat(subscribers.get(i).payloads()).containsExactly("1");
        }
        while (published < MESSAGES) {
            publish(qos);
        }
        for (int i = 0; i < SUBSCRIBERS; i++) {
            assertThat(subscribers.get(i).wire.flushes()).isEqualTo(before.get(i) + 1);
        }
        node.settle();
        for (int i = 0; i < SUBSCRIBERS; i++) {
            assertThat(subscribers.get(i).payloads()).containsExactly(payloads(MESSAGES));
            assertThat(subscribers.get(i).wire.flushes()).isEqualTo(before.get(i) + 2);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void what_is_for_one_of_them_alone_waits_for_nothing_and_overtakes_nothing(int qos) {
        subscribe(qos);
        publish(qos);
        publish(qos);
        publisher.publish("own/0", qos, qos * ++published, String.valueOf(published));
        node.loops[0].step();
        assertThat(subscribers.get(0).payloads()).containsExactly("1", "2", "3");
        assertThat(subscribers.get(2).payloads()).containsExactly("1");
        node.settle();
        assertThat(subscribers.get(2).payloads()).containsExactly("1", "2");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void one_that_goes_away_meanwhile_leaves_nothing_behind(int qos) {
        subscribe(qos);
        publish(qos);
        publish(qos);
        subscribers.get(0).cut();
        subscribers.get(1).cut();
        node.settle();
        assertThat(subscribers.get(2).payloads()).containsExactly("1", "2");
        assertThat(subscribers.get(3).payloads()).containsExactly("1", "2");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void some_kilobytes_gather_and_buffers_that_are_full_do_not_wait(int qos) {
        subscribe(qos);
        publish(qos);
        int before = subscribers.get(0).wire.flushes();
        publishLarge(qos, 8);
        assertThat(subscribers.get(0).wire.flushes()).as("12 KiB").isEqualTo(before);
        publishLarge(qos, 16);
        assertThat(subscribers.get(0).wire.flushes()).as("36 KiB").isGreaterThan(before);
        node.settle();
        assertThat(subscribers.get(0).payloads()).hasSize(25);
    }

    private void publishLarge(int qos, int count) {
        byte[] payload = new byte[1_500];
        for (int i = 0; i < count; i++) {
            publisher.publish("t", qos, qos * (100 + ++published), false, payload);
            node.loops[0].step();
            node.loops[1].step();
        }
    }
}
