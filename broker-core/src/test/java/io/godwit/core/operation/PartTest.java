package io.godwit.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.message.Remembered;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What {@link PartEncoder} writes is what {@link PartDecoder} reads. */
class PartTest extends PartFixture {
    @Test
    void what_is_written_is_read_whatever_comes_in_whatever_order() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            encoder.begin();
            List<Message> messages = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                messages.add(message("m".repeat(random.nextInt(300)), 2, null));
            }
            List<String> written = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                Message message = random.nextInt(9) == 0 ? null : messages.get(random.nextInt(5));
                int server = random.nextInt(5) == 0 ? random.nextInt(1 << 24) : LEADER;
                long queueId = 1L + random.nextInt(20);
                QueueHandle queue = queue(queueId);
                long clock = Math.max(queue.writtenClock, CLOCK) + 1 + random.nextInt(1 << 20);
                Entry entry =
                        new Entry(
                                queueId,
                                new HybridId(clock, server),
                                message,
                                1 + random.nextInt(2),
                                random.nextBoolean() ? new int[0] : new int[] {1, 268_435_455});
                int inFlight = random.nextInt(3) == 0 ? 1 + random.nextInt(65_535) : 0;
                entry.packetId = message == null ? 17 : inFlight;
                written.add(
                        queueId
                                + " "
                                + clock
                                + " "
                                + server
                                + " "
                                + queue.writtenClock
                                + " "
                                + queue.writtenServer
                                + " "
                                + entry.qos
                                + entry.packetId
                                + Arrays.toString(entry.ids)
                                + text(message));
                encoder.encode(Op.APPEND, entry, inFlight);
            }
            List<String> read = new ArrayList<>();
            PartDecoder in = decoder();
            while (in.next()) {
                read.add(
                        in.queueId
                                + " "
                                + in.clock
                                + " "
                                + in.server
                                + " "
                                + in.previousClock
                                + " "
                                + in.previousServer
                                + " "
                                + in.qos
                                + in.packetId
                                + Arrays.toString(in.ids)
                                + text(in.message));
            }
            assertThat(read).isEqualTo(written);
        }
    }

    @Test
    void what_a_queue_remembers_and_forgets_is_read_as_it_was_written() {
        queue(1);
        queue(2);
        encoder.begin();
        Remembered one = new Remembered(1, CLOCK, LEADER, 9, IngressId.counter(3, 300));
        Remembered other = new Remembered(2, CLOCK - 5, 4, LEADER, IngressId.counter(1, 0));
        encoder.encode(Op.REMEMBERED, one, 0);
        encoder.encode(Op.REMEMBERED, other, 0);
        encoder.encode(Op.FORGOTTEN, one, 0);
        PartDecoder in = decoder();
        assertThat(in.next()).isTrue();
        assertThat(in.op).isEqualTo(Op.REMEMBERED);
        assertThat(in.subject).usingRecursiveComparison().isEqualTo(one);
        assertThat(in.next()).isTrue();
        assertThat(in.subject).usingRecursiveComparison().isEqualTo(other);
        assertThat(in.next()).isTrue();
        assertThat(in.op).isEqualTo(Op.FORGOTTEN);
        assertThat(in.queueId).isEqualTo(1);
        assertThat(in.clock).isEqualTo(CLOCK);
        assertThat(in.server).isEqualTo(LEADER);
        assertThat(in.next()).isFalse();
    }

    private static String text(@Nullable Message message) {
        return message == null ? "-" : Arrays.toString(message.payload) + message.ingressCounter;
    }

    @Test
    void a_message_of_many_queues_is_written_once_and_each_append_stays_small() {
        encoder.begin();
        Message message = message("x".repeat(150), 1, null);
        for (int i = 0; i < 1000; i++) {
            QueueHandle queue = queue((7L << 40) + i);
            queue.writtenClock = CLOCK + i - 1;
            queue.writtenServer = LEADER;
            encoder.encode(Op.APPEND, new Entry(queue.queueId, id(CLOCK + i), message, 1), 0);
        }
        assertThat(encoder.length()).isLessThan(message.payload.length + 60 + 1000 * (10 + 8));
        assertThat(encoder.newBytes()).isEqualTo(message.accountedBytes());
    }

    @Test
    void bytes_that_end_too_early_are_refused() {
        encoder.begin();
        encoder.encode(Op.RETAINED, new Subject.RetainedPut(message("x", 1, null), id(1)), 0);
        byte[] bytes = HexFormat.of().parseHex(body());
        for (int length = 1; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            if (length != 4) { // a part without operations
                assertThatThrownBy(
                                () -> {
                                    PartDecoder in = new PartDecoder(cut, 0, cut.length);
                                    while (in.next()) {}
                                })
                        .as("%s bytes", length)
                        .isInstanceOf(IndexOutOfBoundsException.class);
            }
        }
    }

    @Test
    void an_append_below_the_last_one_proves_itself_alone() {
        encoder.begin();
        encoder.encode(Op.APPEND, new Entry(5, id(CLOCK + 10), message("new", 1, null), 1), 0);
        encoder.encode(Op.APPEND, new Entry(5, id(CLOCK + 4), message("old", 1, null), 1), 0);
        encoder.encode(Op.APPEND, new Entry(5, id(CLOCK + 11), message("next", 1, null), 1), 0);
        PartDecoder in = decoder();
        in.next();
        assertThat(in.next()).isTrue();
        assertThat(id(in.clock)).isEqualTo(id(CLOCK + 4));
        assertThat(in.previousClock).isEqualTo(CLOCK + 3);
        assertThat(in.previousServer).isEqualTo(LEADER);
        assertThat(in.next()).isTrue();
        assertThat(in.previousClock).isEqualTo(CLOCK + 10);
        assertThat(queue(5).writtenClock).isEqualTo(CLOCK + 11);
    }
}
