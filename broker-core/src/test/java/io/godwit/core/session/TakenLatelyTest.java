package io.godwit.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TakenLatelyTest {
    private final TakenLately lately = new TakenLately();

    private static Message message(int server, long counter) {
        return new Message(
                Topic.of("t"),
                new byte[0],
                PublishFrame.NO_PROPERTIES,
                1,
                false,
                Message.NEVER,
                null,
                server,
                counter);
    }

    @Test
    void tells_what_one_session_has_taken_oldest_first() {
        assertThat(lately.of(7)).isEmpty();
        lately.add(7, message(1, 10));
        lately.add(8, message(1, 10));
        lately.add(7, message(2, 3));
        assertThat(lately.of(7)).containsExactly(new IngressId(1, 10), new IngressId(2, 3));
        assertThat(lately.of(8)).containsExactly(new IngressId(1, 10));
    }

    @Test
    void forgets_the_oldest_of_all_sessions() {
        lately.add(7, message(1, 1));
        lately.add(7, message(1, 2));
        for (int i = 0; i < TakenLately.MAX - 1; i++) {
            lately.add(8, message(1, i));
        }
        assertThat(lately.of(7)).containsExactly(new IngressId(1, 2));
        assertThat(lately.of(8)).hasSize(TakenLately.MAX - 1);
    }

    @Test
    void many_ids_are_a_byte_each() {
        List<IngressId> ids = new ArrayList<>();
        for (int server = 1; server <= 2; server++) {
            for (int start = 1; start <= 2; start++) {
                for (int i = 1_000; i > 0; i--) {
                    ids.add(new IngressId(server, IngressId.counter(start, 1_000_000 + i * 7)));
                }
            }
        }
        ByteWriter to = new ByteWriter(16);
        TakenIds.write(to, ids);
        assertThat(to.toBytes()).hasSizeLessThan(ids.size() + 100);
        assertThat(TakenIds.read(new ByteReader(to.toBytes())))
                .containsExactlyInAnyOrderElementsOf(ids);
    }
}
