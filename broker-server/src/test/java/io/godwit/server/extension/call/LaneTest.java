package io.godwit.server.extension.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LaneTest {
    private final Lanes lanes = new Lanes();
    private final ClientId client = ClientId.of("c");
    private final List<String> begun = new ArrayList<>();

    private final class Named extends Lane.Turn {
        private final ClientId owner;
        private final String name;
        private final boolean endsAtOnce;

        Named(ClientId owner, String name, boolean endsAtOnce) {
            this.owner = owner;
            this.name = name;
            this.endsAtOnce = endsAtOnce;
        }

        @Override
        void begin() {
            begun.add(name);
            if (endsAtOnce) {
                lanes.end(owner, this);
            }
        }
    }

    @Test
    void a_turn_begins_when_the_one_before_has_ended() {
        Named first = new Named(client, "1", false);
        Named second = new Named(client, "2", false);
        lanes.add(client, first);
        lanes.add(client, second);
        lanes.add(client, new Named(client, "3", true));
        assertThat(begun).containsExactly("1");

        lanes.end(client, first);
        assertThat(begun).containsExactly("1", "2");

        lanes.end(client, second);
        assertThat(begun).containsExactly("1", "2", "3");
        assertThat(lanes.size()).isZero();
    }

    @Test
    void the_turns_of_one_client_do_not_wait_for_those_of_another() {
        ClientId other = ClientId.of("other");
        lanes.add(client, new Named(client, "1", false));
        lanes.add(other, new Named(other, "other", true));

        assertThat(begun).containsExactly("1", "other");
        assertThat(lanes.size()).isEqualTo(1);
    }

    @Test
    void a_hundred_thousand_turns_that_end_at_once_need_no_deep_stack() {
        Named first = new Named(client, "first", false);
        lanes.add(client, first);
        for (int i = 0; i < 100_000; i++) {
            lanes.add(client, new Named(client, "next", true));
        }

        lanes.end(client, first);

        assertThat(begun).hasSize(100_001);
        assertThat(lanes.size()).isZero();
    }
}
