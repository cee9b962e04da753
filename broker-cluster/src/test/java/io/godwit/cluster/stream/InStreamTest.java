package io.godwit.cluster.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.TestLink;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.godwit.core.shard.Shard;
import io.godwit.core.shard.Sliced;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class InStreamTest {
    private static final NodeStart PEER = new NodeStart(2, 1);

    private static final class Link extends TestLink {
        int broken;
        int taken;

        @Override
        public NodeStart peer() {
            return PEER;
        }

        @Override
        public boolean offer(Outgoing message) {
            return true;
        }

        @Override
        public void taken(TrafficClass traffic, int length) {
            taken++;
        }

        @Override
        public void broken() {
            broken++;
        }
    }

    private final List<Sliced> slices = new ArrayList<>();

    /** One that has nothing else to do. */
    private final Shard shard =
            (Shard)
                    Proxy.newProxyInstance(
                            Shard.class.getClassLoader(),
                            new Class<?>[] {Shard.class},
                            (proxy, method, arguments) -> {
                                if (method.getName().equals("slice")) {
                                    slices.add((Sliced) arguments[0]);
                                }
                                Class<?> type = method.getReturnType();
                                return type == boolean.class
                                        ? (Object) false
                                        : type == long.class ? (Object) 0L : null;
                            });

    private int answersAsked;

    private final List<StreamRecord> handled = new ArrayList<>();
    private final Link link = new Link();
    private final InStream stream =
            new InStream(
                    PEER,
                    1,
                    shard,
                    (from, record, again, receipt) -> {
                        handled.add(record);
                        return null;
                    },
                    List::of,
                    () -> false,
                    target -> false,
                    true,
                    () -> answersAsked++);

    private static byte[] batch(long before, int count) {
        LeavingBatch batch = new LeavingBatch(1, 0, before);
        for (int i = 1; i <= count; i++) {
            StreamRecord record = new StreamRecord.FiltersAsked(i);
            batch.add(before + i, false, record, record.bytes());
        }
        ByteWriter to = new ByteWriter(64);
        batch.write(to, 0);
        return to.toBytes();
    }

    private void arrives(byte[] batch) {
        stream.on(StreamBatch.read(new ByteReader(batch), any -> null), link, batch.length);
    }

    @Test
    void records_are_handled_in_order_and_then_the_link_gets_its_credit_back() {
        arrives(batch(0, 3));
        arrives(batch(3, 1));
        assertThat(handled)
                .containsExactly(
                        new StreamRecord.FiltersAsked(1),
                        new StreamRecord.FiltersAsked(2),
                        new StreamRecord.FiltersAsked(3),
                        new StreamRecord.FiltersAsked(1));
        assertThat(link.taken).isEqualTo(2);
        assertThat(link.broken).isZero();
    }

    @Test
    void a_record_that_cannot_be_read_ends_the_link_and_nothing_behind_it_is_handled() {
        byte[] whole = batch(0, 3);
        arrives(Arrays.copyOf(whole, whole.length - 1));
        assertThat(link.broken).isEqualTo(1);
        arrives(batch(3, 1));
        assertThat(handled)
                .containsExactly(
                        new StreamRecord.FiltersAsked(1), new StreamRecord.FiltersAsked(2));
        arrives(batch(0, 3)); // As the next link brings it.
        assertThat(handled).hasSize(3).last().isEqualTo(new StreamRecord.FiltersAsked(3));
    }

    private static byte[] publishes(long before, int count, int payload) {
        LeavingBatch batch = new LeavingBatch(1, 0, before);
        Message message =
                new Message(
                        Topic.of("t"),
                        new byte[payload],
                        PublishFrame.NO_PROPERTIES,
                        0,
                        false,
                        Message.NEVER,
                        null,
                        3,
                        1);
        for (int i = 1; i <= count; i++) {
            StreamRecord record = new StreamRecord.Publish(message);
            batch.add(before + i, false, record, record.bytes());
        }
        ByteWriter to = new ByteWriter(64);
        batch.write(to, 0);
        return to.toBytes();
    }

    @Test
    void while_a_slice_follows_nobody_is_told_of_what_nobody_waits_for() {
        arrives(publishes(0, 3_000, 1));
        arrives(publishes(3_000, 10, 1));
        assertThat(handled).hasSize(2_000);
        assertThat(answersAsked).isZero();
        assertThat(slices).hasSize(1);
        slices.remove(0).slice();
        assertThat(handled).hasSize(3_010);
        assertThat(answersAsked).isPositive();
        Answers answers = (Answers) stream.answers();
        assertThat(answers.upTo).isEqualTo(3_010);
    }

    @Test
    void the_sender_gets_room_again_before_the_slice_is_over_when_much_has_come() {
        arrives(publishes(0, 600, 1 << 10));
        arrives(publishes(600, 3_000, 1));
        assertThat(slices).hasSize(1);
        assertThat(answersAsked).isPositive();
        assertThat(((Answers) stream.answers()).upTo).isEqualTo(2_000);
    }

    @Test
    void bytes_behind_the_last_record_are_no_batch() {
        byte[] whole = batch(0, 2);
        arrives(Arrays.copyOf(whole, whole.length + 1));
        assertThat(link.broken).isEqualTo(1);
        assertThat(handled).hasSize(1);
    }
}
