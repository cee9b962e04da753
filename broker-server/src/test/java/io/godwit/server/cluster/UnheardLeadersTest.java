package io.godwit.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class UnheardLeadersTest {
    private final Logger log = (Logger) LoggerFactory.getLogger(UnheardLeaders.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private Map<Integer, BitSet> now = Map.of();
    private Map<Integer, String> others = Map.of(2, "n2");
    private final UnheardLeaders leaders = new UnheardLeaders(() -> now, () -> others);

    @BeforeEach
    void listen() {
        log.setLevel(Level.INFO);
        lines.start();
        log.addAppender(lines);
    }

    @AfterEach
    void close() {
        log.detachAppender(lines);
        log.setLevel(null);
    }

    private static BitSet sets(int... sets) {
        BitSet made = new BitSet();
        for (int set : sets) {
            made.set(set);
        }
        return made;
    }

    private List<String> look(Map<Integer, BitSet> unheard) {
        lines.list.clear();
        now = unheard;
        leaders.look();
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void log_names_the_copy_sets_that_wait_their_leader_and_what_to_do() {
        assertThat(look(Map.of(2, sets(3, 5))))
                .containsExactly(
                        "Copy sets 3, 5 of node n2 wait: too few of the nodes that are here have heard it"
                                + " since they started. Start it, or run 'godwit cluster forget n2' if it"
                                + " never comes back");
        assertThat(lines.list.getFirst().getLevel()).isEqualTo(Level.WARN);
        assertThat(look(Map.of(2, sets(3, 5)))).as("once").isEmpty();
    }

    @Test
    void log_has_a_line_for_what_is_new_and_for_each_leader_that_nothing_waits_for_any_more() {
        look(Map.of(2, sets(3)));
        assertThat(look(Map.of(2, sets(3), 7, sets(1))))
                .singleElement()
                .asString()
                .startsWith("Copy sets 1 of node 7 wait");
        assertThat(look(Map.of(7, sets(1)))).containsExactly("Copy sets of node n2 wait no longer");
        assertThat(look(Map.of())).containsExactly("Copy sets of node 7 wait no longer");
    }
}
