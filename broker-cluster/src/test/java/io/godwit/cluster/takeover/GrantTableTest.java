package io.godwit.cluster.takeover;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.takeover.TakeoverMessage.Granted;
import io.godwit.cluster.takeover.TakeoverMessage.Tell;
import io.godwit.cluster.takeover.TakeoverMessage.Told;
import io.godwit.cluster.transport.Forgotten;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What an anchor knows is charged, and goes slice by slice when its node is forgotten. */
class GrantTableTest {
    private static final int SESSIONS = 5_000;
    private static final int SLICE = 200;
    private static final NodeStart SELF = new NodeStart(1, 1);
    private static final NodeStart OTHER = new NodeStart(2, 1);

    private final List<TakeoverMessage> said = new ArrayList<>();
    private long charged;
    private final GrantTable table =
            new GrantTable(
                    SELF,
                    (slot, rank) -> rank == 0 ? 1 : Anchors.NOBODY,
                    TakeoverRule.ALL,
                    change -> charged += change,
                    (server, message) -> said.add(message));

    private static BitSet allSlots() {
        BitSet all = new BitSet();
        all.set(0, Slots.COUNT);
        return all;
    }

    private static ClientId id(int number) {
        return ClientId.of("client-" + number);
    }

    /** Another node has told of its sessions, and is dead. */
    private void deadNode() {
        table.linked(SELF);
        table.linked(OTHER);
        List<Told> told = new ArrayList<>();
        for (int i = 0; i < SESSIONS; i++) {
            told.add(new Told(OTHER, id(i), new Standing.Home(1, true), List.of()));
        }
        table.tell(SELF, new Tell(allSlots(), List.of()));
        table.tell(OTHER, new Tell(allSlots(), told));
        table.unlinked(OTHER);
        decideAll();
        assertThat(table.size()).isEqualTo(SESSIONS);
    }

    private void decideAll() {
        while (table.isDue()) {
            table.decideMore(SLICE);
        }
    }

    @Test
    void what_a_forgotten_node_has_told_goes_slice_by_slice_and_from_the_account() {
        deadNode();
        assertThat(charged).isGreaterThan(300L * SESSIONS);

        table.forgotten(new Forgotten(Set.of(2), 1));
        assertThat(table.size()).isEqualTo(SESSIONS);
        int slices = 0;
        for (int before = SESSIONS; table.isDue(); before = table.size()) {
            table.decideMore(SLICE);
            slices++;
            // A slot is looked at whole.
            assertThat(before - table.size()).isLessThan(SLICE + 50);
        }

        assertThat(slices).isGreaterThan(SESSIONS / SLICE);
        assertThat(table.size()).isZero();
        assertThat(charged).isZero();
    }

    @Test
    void its_client_ids_are_free_before_their_slice_has_come() {
        deadNode();
        table.forgotten(new Forgotten(Set.of(2), 1));
        for (int i = SESSIONS - 10; i < SESSIONS; i++) {
            table.ask(SELF, id(i), new ClaimId(SELF, 0, i));
        }
        assertThat(said).hasSize(10).allMatch(Granted.class::isInstance);
    }

    @Test
    void nor_are_they_counted_or_known_of_a_start_that_is_back() {
        deadNode();
        table.forgotten(new Forgotten(Set.of(2), 1));
        assertThat(table.homesAt(2)).isZero();
        deadNode();
        table.forgotten(new Forgotten(Set.of(2), 2));
        table.forgotten(new Forgotten(Set.of(), 2));
        NodeStart back = new NodeStart(2, 2);
        table.linked(back);
        Told told = new Told(back, id(1), new Standing.Home(1, true), List.of());
        table.tell(back, new Tell(allSlots(), List.of(told)));
        decideAll();
        assertThat(table.homesAt(2)).isEqualTo(1);
        assertThat(table.size()).isEqualTo(1);
    }
}
