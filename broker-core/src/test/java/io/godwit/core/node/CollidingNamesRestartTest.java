package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.CollidingNames;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.settings.Limits;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A start on names that strangers have prepared costs about what one on other names does. */
@Tag("alone")
class CollidingNamesRestartTest {
    private static final int TOPICS = 30_000;
    private static final int FILTERS = 20_000;
    private static final int PACKET_FILTERS = 1_000;

    /** In a chain of one slot it would be hundreds of times as much. */
    private static final int TIMES_MOST = 10;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

    private static List<byte[]> ordinary(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> String.format("%032d", i).getBytes(StandardCharsets.UTF_8))
                .toList();
    }

    /** CPU of the thread, whatever else the machine does. */
    private long restartNanos(List<byte[]> names) {
        RestartFixture broker = new RestartFixture();
        broker.limits = Limits.with(l -> l.subscriptionsPerClient = FILTERS);
        broker.crash(0);
        TestClient client = broker.durable(0, "c");
        for (byte[] name : names.subList(0, TOPICS)) {
            client.send(
                    new Packet.Publish(
                            new Topic(name), 0, false, true, 0, Properties.NONE, new byte[1]));
        }
        broker.node.settle();
        for (int from = 0; from < FILTERS; from += PACKET_FILTERS) {
            List<Packet.Subscription> all = new ArrayList<>();
            for (byte[] name : names.subList(from, from + PACKET_FILTERS)) {
                // Retained messages stay where they are.
                all.add(new Packet.Subscription(new TopicFilter(name), 1, false, false, 2));
            }
            client.send(new Packet.Subscribe(1, all, Properties.NONE));
            broker.node.settle();
        }

        long before = threads.getCurrentThreadCpuTime();
        broker.crash(0);
        long nanos = threads.getCurrentThreadCpuTime() - before;
        assertThat(broker.node.shards[0].indexOwner().retained().size()).isEqualTo(TOPICS);
        assertThat(broker.node.session("c").subscriptionCount()).isEqualTo(FILTERS);
        return nanos;
    }

    @Test
    void a_start_on_names_of_one_hash_costs_about_what_one_on_others_does() {
        long usual = restartNanos(ordinary(TOPICS));
        assertThat(restartNanos(CollidingNames.of(TOPICS))).isLessThan(TIMES_MOST * usual);
    }
}
