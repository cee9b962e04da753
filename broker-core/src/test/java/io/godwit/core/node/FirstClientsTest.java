package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.ClientId;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class FirstClientsTest {
    private static ClientId id(String text) {
        return new ClientId(text.getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> text(FirstClients first) {
        return first.inOrder().stream().map(ClientId::toString).toList();
    }

    @Test
    void largest_of_many_come_in_order_and_no_more_than_the_limit() {
        FirstClients first = new FirstClients(true, 3);
        for (int i = 0; i < 100_000; i++) {
            first.offer(i * 7919L % 100_003, id("c" + i));
        }
        FirstClients all = new FirstClients(true, 100_000);
        for (int i = 0; i < 100_000; i++) {
            all.offer(i * 7919L % 100_003, id("c" + i));
        }
        assertThat(text(first)).isEqualTo(text(all).subList(0, 3));
    }

    @Test
    void equal_ones_come_by_client_id_whatever_the_order() {
        for (boolean isDescending : new boolean[] {true, false}) {
            FirstClients first = new FirstClients(isDescending, 2);
            List.of("c", "a", "d", "b").forEach(each -> first.offer(5, id(each)));
            assertThat(text(first)).containsExactly("a", "b");
        }
    }

    @Test
    void those_of_several_shards_are_merged() {
        FirstClients one = new FirstClients(false, 2);
        one.offer(1, id("a"));
        one.offer(9, id("b"));
        FirstClients two = new FirstClients(false, 2);
        two.offer(5, id("c"));
        FirstClients all = new FirstClients(false, 2);
        all.offerAll(one);
        all.offerAll(two);
        assertThat(text(all)).containsExactly("a", "c");
    }
}
