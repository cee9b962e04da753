package io.godwit.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.server.BrokerFixture;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The wall clock of the machine jumps by a day, and nothing expires by that alone. */
@Timeout(180)
class ClockJumpIT {
    /** The canary sings at least so often while this goes on. */
    private static final int SONGS = 10;

    private static final int HOUR = 3_600;

    private final AtomicLong wrongBy = new AtomicLong();

    @ParameterizedTest(name = "by {0} hours")
    @ValueSource(ints = {24, -24})
    void a_jump_of_a_day_ends_no_session_and_no_message(int hours) throws Exception {
        try (BrokerFixture broker =
                        BrokerFixture.start(() -> System.currentTimeMillis() + wrongBy.get());
                Canary canary = new Canary(broker.port());
                RawClient writer = RawClient.connected(broker.port(), "writer")) {
            try (RawClient sleeper = RawClient.open(broker.port())) {
                assertThat(sessionPresent(sleeper)).isFalse();
                sleeper.subscribe("queued", 1);
            }
            writer.send(Bytes.expiringPublish("queued", 1, false, HOUR));
            writer.readUntil(Bytes.PUBACK);
            writer.send(Bytes.expiringPublish("kept", 2, true, HOUR));
            writer.readUntil(Bytes.PUBACK);

            wrongBy.set(Duration.ofHours(hours).toMillis());
            Awaitility.await("the jump to be noticed")
                    .until(() -> count(broker, Metric.CLOCK_JUMPS) == 1);

            try (RawClient sleeper = RawClient.open(broker.port())) {
                assertThat(sessionPresent(sleeper)).isTrue();
                assertThat(topic(sleeper.readUntil(Bytes.PUBLISH))).isEqualTo("queued");
                sleeper.send(Bytes.subscribe(2, 1, "kept"));
                assertThat(topic(sleeper.readUntil(Bytes.PUBLISH))).isEqualTo("kept");
            }
            assertThat(count(broker, Metric.SESSIONS_EXPIRED)).isZero();
            assertThat(count(broker, Metric.DROPPED_EXPIRED)).isZero();
            assertThat(count(broker, Metric.KEEP_ALIVE_TIMEOUTS)).isZero();
            canary.assertUnharmed(SONGS);
        }
    }

    private static boolean sessionPresent(RawClient client) throws IOException {
        client.send(Bytes.connectToSession("sleeper"));
        RawClient.Received answer = client.readUntil(Bytes.CONNACK);
        assertThat(answer.int8(1)).isZero();
        return answer.int8(0) == 1;
    }

    private static String topic(RawClient.Received publish) {
        return new String(publish.body(), 2, publish.int16(0), StandardCharsets.UTF_8);
    }

    private static long count(BrokerFixture broker, Metric metric) {
        long sum = 0;
        for (int i = 0; i < broker.server().broker().shards(); i++) {
            sum += broker.server().broker().shard(i).counters().total(metric);
        }
        return sum;
    }
}
