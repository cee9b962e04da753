package io.godwit.cluster.takeover;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.membership.Slots;
import io.godwit.core.packet.ClientId;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SlotMapTest {
    private final SlotMap<Integer> map = new SlotMap<>();
    private final Map<ClientId, Integer> model = new HashMap<>();

    @Test
    void it_has_what_a_map_has_and_finds_it_by_slot() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 20_000; i++) {
            ClientId clientId = ClientId.of("client-" + random.nextInt(5_000));
            if (random.nextInt(3) == 0) {
                assertThat(map.remove(clientId)).isEqualTo(model.remove(clientId));
            } else {
                map.put(clientId, i);
                model.put(clientId, i);
            }
            assertThat(map.get(clientId)).isEqualTo(model.get(clientId));
        }

        assertThat(map.clientIds()).isEqualTo(model.keySet());
        Map<ClientId, Integer> found = new HashMap<>();
        for (int slot = 0; slot < Slots.COUNT; slot++) {
            for (Map.Entry<ClientId, Integer> each : map.inSlot(slot).entrySet()) {
                assertThat(Slots.of(each.getKey())).isEqualTo(slot);
                found.put(each.getKey(), each.getValue());
            }
        }
        assertThat(found).isEqualTo(model);

        model.keySet().forEach(each -> assertThat(map.remove(each)).isNotNull());
        assertThat(map.isEmpty()).isTrue();
        assertThat(map.clientIds()).isEmpty();
    }
}
