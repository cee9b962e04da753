package io.godwit.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.ClientId;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SlotsTest {
    private static final List<Integer> SERVERS = List.of(7, 300, 40_000, 9_000_000, 12);

    @Test
    void each_member_is_first_for_about_its_share_of_slots() {
        Slots slots = new Slots(SERVERS);
        Map<Integer, Integer> first = new HashMap<>();
        for (int slot = 0; slot < Slots.COUNT; slot++) {
            assertThat(slots.order(slot)).hasSize(5).containsOnlyOnce(7, 300, 40_000, 12);
            first.merge(slots.order(slot)[0], 1, Integer::sum);
        }
        assertThat(first.values()).allMatch(count -> count > 4096 / 5 - 150);
    }

    @Test
    void a_member_that_joins_moves_nothing_but_itself() {
        Slots before = new Slots(SERVERS.subList(0, 4));
        Slots after = new Slots(SERVERS);
        for (int slot = 0; slot < Slots.COUNT; slot++) {
            int[] without = Arrays.stream(after.order(slot)).filter(each -> each != 12).toArray();
            assertThat(without).isEqualTo(before.order(slot));
        }
    }

    @Test
    void what_all_nodes_must_agree_on_stays_as_it_is() {
        assertThat(Slots.of(ClientId.of(""))).isEqualTo(3128);
        assertThat(Slots.of(ClientId.of("client-1"))).isEqualTo(1656);
        assertThat(new Slots(SERVERS).order(0)).containsExactly(9_000_000, 12, 7, 40_000, 300);
    }
}
