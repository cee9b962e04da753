package io.godwit.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.store.SessionMoves;
import io.godwit.core.store.SessionMoves.Home;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** By which former homes what is oldest comes to a session, after a way from node to node. */
class FormerOrderTest {
    /** A session that goes from node to node, faster than anything that is published comes. */
    private static final class Way {
        private final Map<Integer, Stay> copies = new HashMap<>();
        SessionMoves moves = SessionMoves.NONE;
        private int at;
        private long changes;

        Way(int... nodes) {
            for (int node : nodes) {
                go(node);
            }
        }

        private void go(int to) {
            if (at != 0) {
                long came = changes++;
                boolean waits = !moves.inOrder().isEmpty();
                long waited = moves.stayed() == 0 ? came : moves.waited();
                copies.put(at, new Stay(changes, waits ? waited : 0));
                SessionMoves header =
                        new SessionMoves(moves.former(), null, null, 0, 0, moves.behind());
                Stay stayed = copies.getOrDefault(to, Stay.NONE);
                moves = FormerOrder.of(header, new Home(at, changes), to, stayed);
                copies.remove(to);
            }
            at = to;
        }

        List<Integer> inOrder() {
            return servers(false);
        }

        List<Integer> behind() {
            return servers(true);
        }

        private List<Integer> servers(boolean areBehind) {
            return moves.former().stream()
                    .filter(each -> moves.behind().contains(each.changes()) == areBehind)
                    .map(Home::server)
                    .toList();
        }
    }

    @Test
    void on_a_way_without_a_circle_all_are_in_order() {
        Way way = new Way(1, 2, 3, 4);
        assertThat(way.inOrder()).containsExactly(1, 2, 3);
        assertThat(way.moves.stayed()).isZero();
    }

    @Test
    void back_where_everything_has_come_directly_nobody_else_is_first() {
        Way way = new Way(1, 2, 3, 1);
        assertThat(way.inOrder()).isEmpty();
        assertThat(way.behind()).containsExactly(2, 3);
        assertThat(way.moves.stayed()).isEqualTo(1);
        assertThat(way.moves.waited()).isZero();
    }

    @Test
    void back_in_the_middle_of_the_order_those_behind_it_are_behind() {
        Way way = new Way(1, 2, 3, 4, 2);
        assertThat(way.inOrder()).containsExactly(1);
        assertThat(way.behind()).containsExactly(3, 4);
        assertThat(way.moves.stayed()).isEqualTo(2);
        assertThat(way.moves.waited()).isEqualTo(1);
        assertThat(FormerOrder.isByLast(way.moves)).isFalse();
    }

    @Test
    void back_where_it_was_before_it_was_at_the_first_home_again_what_is_oldest_comes_from_there() {
        Way way = new Way(2, 1, 3, 2, 3);
        assertThat(way.inOrder()).containsExactly(2);
        assertThat(way.behind()).containsExactly(1);
        assertThat(way.moves.waited()).isEqualTo(2);
        assertThat(FormerOrder.isByLast(way.moves)).isTrue();
    }

    @Test
    void to_and_fro_between_two_the_first_one_is_the_first() {
        Way way = new Way(1, 2, 1, 2);
        assertThat(way.inOrder()).containsExactly(1);
        assertThat(new Way(1, 2, 1, 2, 1).inOrder()).isEmpty();
        assertThat(new Way(1, 2, 1, 2, 1, 2).inOrder()).containsExactly(1);
    }

    @Test
    void whoever_is_in_order_stays_so_when_the_session_goes_on() {
        Way way = new Way(1, 2, 3, 1, 3, 4);
        assertThat(way.inOrder()).containsExactly(1, 3);
        assertThat(way.behind()).containsExactly(2);
        assertThat(new Way(1, 2, 3, 4, 2, 4).inOrder()).containsExactly(1, 2);
    }

    @Test
    void what_waited_where_nothing_comes_round_any_more_is_complete() {
        SessionMoves before = new SessionMoves(List.of(new Home(2, 2)), null, null, 0, 0, Set.of());
        SessionMoves back = FormerOrder.of(before, new Home(3, 3), 2, new Stay(2, 1));
        assertThat(back.inOrder()).isEmpty();
        assertThat(back.waited()).isZero();
        assertThat(back.behind()).containsExactly(3L);
    }

    @Test
    void the_copy_at_a_node_was_behind_when_the_session_left_it_in_a_circle() {
        assertThat(FormerOrder.wasBehind(new Way(2, 1, 2, 3).moves, 1)).isTrue();
        assertThat(FormerOrder.wasBehind(new Way(2, 1, 3, 2).moves, 3)).isTrue();
        assertThat(FormerOrder.wasBehind(new Way(1, 2, 3, 4).moves, 2)).isFalse();
        assertThat(FormerOrder.wasBehind(new Way(1, 2, 1, 3).moves, 1)).isFalse();
        assertThat(FormerOrder.wasBehind(new Way(1, 2).moves, 3)).isFalse();
    }

    @Test
    void when_the_first_lets_go_the_next_one_is_the_first() {
        SessionMoves moves = new Way(1, 2, 3).moves;
        Home first = new Home(1, 1);
        Home next = new Home(2, 2);
        assertThat(moves.inOrder()).containsExactly(first, next);
        assertThat(moves.without(first).inOrder()).containsExactly(next);
    }
}
