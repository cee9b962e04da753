package io.godwit.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WaitingPublishersTest {
    private final List<String> lines = new ArrayList<>();
    private final Map<Integer, String> others = new HashMap<>(Map.of(1, "n1", 2, "n2"));
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private @Nullable Consumer<Map<Integer, Integer>> asked;
    private int searches;
    private long nowMs = 1_000_000;

    private final WaitingPublishers waiting =
            new WaitingPublishers(
                    then -> {
                        searches++;
                        asked = then;
                    },
                    () -> others,
                    new WaitingPublishers.Lines() {
                        @Override
                        public void begun(String node, int publishers) {
                            lines.add(publishers + " for " + node);
                        }

                        @Override
                        public void ended(String node, int most, long seconds) {
                            lines.add("none for " + node + ", " + most + ", " + seconds + " s");
                        }
                    });

    private void look(Map<Integer, Integer> counts) {
        waiting.look(nowMs);
        Consumer<Map<Integer, Integer>> then = asked;
        assertThat(then).isNotNull();
        then.accept(counts);
        nowMs += 1_000;
    }

    private double shown(String node) {
        Gauge gauge = registry.find("godwit.cluster.waiting.publishers").tag("node", node).gauge();
        return gauge == null ? -1 : gauge.value();
    }

    @Test
    void log_names_the_node_when_publishers_begin_to_wait_and_when_nobody_does() {
        look(Map.of());
        look(Map.of(1, 3));
        look(Map.of(1, 12));
        look(Map.of(1, 2, 2, 1));
        look(Map.of(2, 1));
        look(Map.of(2, 1));
        assertThat(lines).containsExactly("3 for n1", "1 for n2", "none for n1, 12, 3 s");
    }

    @Test
    void log_has_one_line_a_minute_when_publishers_wait_again_and_again() {
        for (int i = 0; i < 60; i++) {
            look(i % 2 == 0 ? Map.of(1, 1) : Map.of());
        }
        assertThat(lines).containsExactly("1 for n1", "none for n1, 1, 1 s");
        lines.clear();
        look(Map.of(1, 4));
        assertThat(lines).containsExactly("4 for n1");
    }

    @Test
    void log_says_that_the_wait_is_over_when_the_node_is_forgotten() {
        look(Map.of(1, 5));
        others.remove(1);
        look(Map.of());
        assertThat(lines).containsExactly("5 for n1", "none for n1, 5, 1 s");
    }

    @Test
    void metric_has_one_value_for_each_other_member() {
        look(Map.of(1, 5));
        waiting.bind(registry);
        look(Map.of(1, 7));
        assertThat(shown("n1")).isEqualTo(7);
        assertThat(shown("n2")).isZero();
        others.remove(1);
        look(Map.of());
        assertThat(shown("n1")).as("it is no member").isEqualTo(-1);
        assertThat(shown("n2")).isZero();
    }

    @Test
    void search_does_not_begin_before_the_last_one_has_ended() {
        waiting.look(1);
        waiting.look(2);
        assertThat(searches).isEqualTo(1);
        Consumer<Map<Integer, Integer>> then = asked;
        assertThat(then).isNotNull();
        then.accept(Map.of());
        waiting.look(3);
        assertThat(searches).isEqualTo(2);
    }
}
