package io.godwit.cluster.takeover;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.takeover.TakeoverMessage.Dropped;
import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Former homes that keep something are charged, and go slice by slice when one is forgotten. */
class FormerHomesTest {
    private static final int SESSIONS = 1_000;
    private static final int SLICE = 200;

    private final List<Former> dropped = new ArrayList<>();
    private long charged;
    private final FormerHomes homes =
            new FormerHomes(
                    new NoSessions() {
                        @Override
                        public void dropped(ClientId clientId, Former former) {
                            dropped.add(former);
                        }
                    },
                    change -> charged += change,
                    (server, message) -> {});

    private static ClientId id(int number) {
        return ClientId.of("client-" + number);
    }

    @Test
    void a_forgotten_node_is_one_no_more_slice_by_slice() {
        for (int i = 0; i < SESSIONS; i++) {
            homes.put(id(i), List.of(new Former(2, 1)), false);
        }
        assertThat(charged).isGreaterThan(100L * SESSIONS);

        homes.forget(2);
        assertThat(dropped).isEmpty();
        assertThat(homes.of(id(SESSIONS - 1))).as("before its slice").isEmpty();
        int slices = 0;
        int over = 0;
        for (; homes.isForgetting(); slices++) {
            int before = dropped.size();
            over += homes.forgetMore(SLICE).size();
            assertThat(dropped.size() - before).isLessThanOrEqualTo(SLICE);
        }

        assertThat(slices).isGreaterThanOrEqualTo(SESSIONS / SLICE);
        assertThat(over).isEqualTo(SESSIONS - 1);
        assertThat(dropped).hasSize(SESSIONS);
        for (int i = 0; i < SESSIONS; i++) {
            assertThat(homes.inSlot(Slots.of(id(i)))).isEmpty();
        }

        // It is back, and lets go of what it has kept.
        for (int i = 0; i < SESSIONS; i++) {
            homes.dropped(2, new Dropped(id(i), 1));
        }
        assertThat(charged).isZero();
    }

    @Test
    void what_former_homes_keep_is_charged_until_each_has_let_go_or_the_session_goes_on() {
        homes.put(id(1), List.of(new Former(2, 1), new Former(3, 2)), false);
        homes.dropped(2, new Dropped(id(1), 1));
        assertThat(charged).isPositive();
        homes.dropped(3, new Dropped(id(1), 2));
        assertThat(charged).isZero();

        homes.put(id(1), List.of(new Former(2, 3), new Former(3, 4)), true);
        homes.leave(id(1));
        assertThat(charged).isZero();
    }
}
