package io.godwit.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.packet.CollidingNames;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.settings.LimitSettings;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Names that strangers prepare, so that they meet in one place of a table, cost what others do. */
@Tag("alone")
class FloodTest {
    /** Of the thread, whatever else the machine does: what it guards against takes minutes. */
    private static final long CPU_NANOS_MOST = 10_000_000_000L;

    private static final int NAMES = 60_000;
    private static final byte[] NONE = new byte[0];

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private long cpuNanosBefore;

    @BeforeEach
    void begin() {
        cpuNanosBefore = threads.getCurrentThreadCpuTime();
    }

    @AfterEach
    void itTookLittle() {
        assertThat(threads.getCurrentThreadCpuTime() - cpuNanosBefore).isLessThan(CPU_NANOS_MOST);
    }

    /** Without a key these took more than a minute. */
    @Test
    void retained_topics_of_one_hash_are_stored_and_found() {
        RetainedStore store = new RetainedStore(LimitSettings.DEFAULTS, TestIndex.hash(1));
        List<byte[]> names = CollidingNames.of(NAMES);
        for (byte[] name : names) {
            Message message =
                    new Message(
                            new Topic(name), new byte[1], NONE, 1, true, Message.NEVER, null, 1, 1);
            assertThat(store.put(message, 1)).isEqualTo(RetainedOutcome.ADDED);
        }
        for (byte[] name : names) {
            assertThat(store.get(new Topic(name), 0)).isNotNull();
        }
    }

    @Test
    void filters_of_one_hash_are_added_matched_and_removed() {
        TopicIndex index = TestIndex.empty();
        TestSession session = new TestSession(1);
        List<byte[]> names = CollidingNames.of(NAMES);
        for (byte[] name : names) {
            index.add(
                    new Subscription(session, new TopicFilter(name), 1, false, false, new int[0]));
        }
        TopicMatcher matcher = index.matcher();
        for (byte[] name : names) {
            assertThat(matcher.route(new Topic(name)).count()).isOne();
        }
        for (byte[] name : names) {
            assertThat(index.remove(new TopicFilter(name), session)).isNotNull();
        }
        assertThat(index.filters()).isZero();
    }

    /** Levels of eight bytes that differ in the last two met in one of 65 536 places. */
    @Test
    void levels_that_differ_in_their_last_bytes_spread_over_the_table() {
        Levels levels = new Levels(TestIndex.hash(1));
        int[] places = new int[1 << 14];
        int fullest = 0;
        for (byte[] level : eightByteLevels()) {
            int place = Levels.slot(levels.number(level, 0, level.length)) & places.length - 1;
            fullest = Math.max(fullest, ++places[place]);
        }
        assertThat(fullest).isLessThan(12);
    }

    @Test
    void wildcard_filters_of_such_levels_are_added_matched_and_removed() {
        TopicIndex index = TestIndex.empty();
        TestSession session = new TestSession(1);
        List<TopicFilter> filters = new ArrayList<>();
        for (byte[] level : eightByteLevels()) {
            filters.add(TopicFilter.of(new String(level, StandardCharsets.UTF_8) + "/+"));
        }
        for (byte[] level : CollidingNames.of(NAMES)) {
            filters.add(TopicFilter.of(new String(level, StandardCharsets.UTF_8) + "/+"));
        }
        filters.forEach(filter -> index.add(session.to(filter.toString())));
        TopicMatcher matcher = index.matcher();
        for (TopicFilter filter : filters) {
            Topic topic = Topic.of(filter.toString().replace("+", "x"));
            assertThat(matcher.route(topic).count()).isOne();
        }
        filters.forEach(filter -> assertThat(index.remove(filter, session)).isNotNull());
        assertThat(index.filters()).isZero();
    }

    private static List<byte[]> eightByteLevels() {
        List<byte[]> levels = new ArrayList<>();
        for (char a = '0'; a <= 'z'; a++) {
            for (char b = '0'; b <= 'z'; b++) {
                levels.add(("device" + a + b).getBytes(StandardCharsets.UTF_8));
            }
        }
        return levels;
    }

    /** The identifiers of all were copied once for each of them: 30 ms and more. */
    @Test
    void thousands_of_overlapping_filters_of_one_session_are_merged_as_fast_as_they_are_read() {
        TopicIndex index = TestIndex.empty();
        TestSession session = new TestSession(1);
        String topic = "a/a/a/a/a/a/a/a/a/a/a/a/a";
        for (int i = 0; i < 8_192; i++) {
            StringBuilder filter = new StringBuilder();
            for (int level = 0; level < 13; level++) {
                filter.append(level == 0 ? "" : "/").append((i >>> level & 1) == 0 ? "a" : "+");
            }
            index.add(session.to(filter.toString(), 1, i + 1));
        }
        TopicMatcher matcher = index.matcher();
        for (int i = 0; i < 1_000; i++) {
            Route route = matcher.route(Topic.of(topic));
            assertThat(route.count()).isOne();
            Subscription merged = route.at(0);
            assertThat(merged).isNotNull();
            assertThat(merged.ids).hasSize(8_192);
        }
    }
}
