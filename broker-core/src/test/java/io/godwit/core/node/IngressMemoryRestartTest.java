package io.godwit.core.node;

import static io.godwit.core.node.RestartFixture.filter;
import static io.godwit.core.node.RestartFixture.subscribe;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.IngressMemory;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Topic;
import io.godwit.core.queue.ClientQueue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What queues remember of QoS 2 messages that may come again, and when they forget it. */
class IngressMemoryRestartTest {
    private static final String SHARED = "$share/g/a";

    private final RestartFixture f = new RestartFixture();

    private TestClient subscriber(int shard, String clientId) {
        TestClient subscriber = f.durable(shard, clientId);
        subscribe(subscriber, 2, "a");
        f.node.settle();
        return subscriber;
    }

    /** A commit of each shard, for some other reason. */
    private void commit() {
        subscribe(f.durable(0, "other"), 1, "elsewhere");
        subscribe(f.durable(1, "another"), 1, "elsewhere");
        f.node.settle();
    }

    private int remembered(String clientId) {
        return f.state().remembered(f.queueId(clientId)).size();
    }

    private int inMemory(String clientId) {
        ClientQueue queue = f.node.session(clientId).queueIfMade();
        return queue == null ? 0 : queue.remembered().size();
    }

    /** Connects a client that sends its PUBLISH once more, as after a lost PUBREC. */
    private TestClient again(String clientId, int packetId, String payload) {
        TestClient client = f.durable(0, clientId);
        client.send(
                new Packet.Publish(
                        Topic.of("a"),
                        2,
                        true,
                        false,
                        packetId,
                        Properties.NONE,
                        payload.getBytes(StandardCharsets.UTF_8)));
        f.node.settle();
        return client;
    }

    private static void take(TestClient subscriber) {
        for (Packet packet : List.copyOf(subscriber.packets())) {
            if (packet instanceof Packet.Publish publish) {
                subscriber.ack(PacketType.PUBREC, publish.packetId());
            }
        }
    }

    @Test
    void who_has_completed_the_handshake_does_not_get_it_again() {
        TestClient subscriber = subscriber(1, "s");
        f.durable(0, "p").publish("a", 2, 7, "x");
        f.node.settle();
        take(subscriber);
        f.node.settle();
        subscriber.ack(PacketType.PUBCOMP, 1);
        f.node.settle();
        assertThat(subscriber.payloads()).containsExactly("x");
        assertThat(f.rows("s")).isEmpty();
        // The crash takes along that everyone had it.
        f.state().notTaken(f.queueId("p"), 7);
        f.crash(0);

        TestClient back = f.durable(1, "s");
        TestClient publisher = again("p", 7, "x");
        assertThat(publisher.acks(PacketType.PUBREC)).containsExactly(7);
        assertThat(back.payloads()).isEmpty();
        assertThat(f.rows("s")).isEmpty();
        publisher.ack(PacketType.PUBREL, 7);
        f.node.settle();
        assertThat(inMemory("s")).isZero();
        // A new message under the same packet id is another one.
        publisher.publish("a", 2, 7, "y");
        f.node.settle();
        assertThat(back.payloads()).containsExactly("y");
    }

    @Test
    void a_group_does_not_give_it_out_again() {
        TestClient member = f.durable(1, "m");
        subscribe(member, 2, SHARED);
        f.durable(0, "p").publish("a", 2, 7, "x");
        f.node.settle();
        take(member);
        f.node.settle();
        member.ack(PacketType.PUBCOMP, 1);
        f.node.settle();
        assertThat(member.payloads()).containsExactly("x");
        Long part = f.state().group(filter(SHARED)).getFirst();
        assertThat(f.state().remembered(part)).hasSize(1);
        f.state().notTaken(f.queueId("p"), 7);
        f.crash(0);

        TestClient back = f.durable(1, "m");
        TestClient publisher = again("p", 7, "x");
        assertThat(publisher.acks(PacketType.PUBREC)).containsExactly(7);
        assertThat(back.payloads()).isEmpty();
        publisher.ack(PacketType.PUBREL, 7);
        f.node.settle();
        commit();
        assertThat(f.state().remembered(part)).isEmpty();
    }

    @Test
    void pubrel_is_heard_of_without_a_commit_of_its_own() {
        subscriber(1, "s").cut();
        f.node.settle();
        TestClient publisher = f.node.client(0, "transient");
        publisher.publish("a", 2, 7, "x");
        f.node.settle();
        assertThat(publisher.acks(PacketType.PUBREC)).containsExactly(7);
        assertThat(remembered("s")).isEqualTo(1);
        assertThat(inMemory("s")).isEqualTo(1);
        assertThat(f.node.session("s").queue().remembered()).hasSize(1);

        f.store.hold();
        publisher.ack(PacketType.PUBREL, 7);
        f.node.settle();
        assertThat(inMemory("s")).isZero();
        assertThat(publisher.acks(PacketType.PUBCOMP)).containsExactly(7);
        assertThat(f.store.outstanding()).as("it is no reason for a commit").isZero();
        f.store.release();
        subscribe(f.durable(1, "s"), 1, "b"); // Of the shard that has the queue.
        f.node.settle();
        assertThat(remembered("s")).isZero();
    }

    @Test
    void a_publisher_whose_session_ends_sends_nothing_again() {
        subscriber(1, "s").cut();
        TestClient publisher = f.node.client(0, "transient");
        publisher.publish("a", 2, 7, "x");
        f.node.settle();
        assertThat(inMemory("s")).isEqualTo(1);
        publisher.cut();
        f.node.settle();
        assertThat(inMemory("s")).isZero();
    }

    @Test
    void a_start_forgets_what_nobody_can_send_again_and_keeps_the_rest() {
        subscriber(1, "s").cut();
        TestClient publisher = f.node.client(0, "transient");
        publisher.publish("a", 2, 7, "x");
        f.durable(0, "p").publish("a", 2, 8, "y");
        f.node.settle();
        assertThat(remembered("s")).isEqualTo(2);
        f.crash(0);
        commit();
        assertThat(inMemory("s")).isEqualTo(1);
        assertThat(remembered("s")).isEqualTo(1);

        TestClient back = f.durable(0, "p");
        back.ack(PacketType.PUBREL, 8);
        f.node.settle();
        assertThat(inMemory("s")).isZero();
    }

    @Test
    void goes_along_to_another_shard_and_is_reached_there() {
        subscriber(1, "s").cut();
        TestClient publisher = f.node.client(1, "transient");
        publisher.publish("a", 2, 7, "x");
        f.node.settle();
        f.durable(0, "s");
        assertThat(f.node.session("s").owner()).isZero();
        assertThat(inMemory("s")).isEqualTo(1);
        publisher.ack(PacketType.PUBREL, 7);
        f.node.settle();
        assertThat(inMemory("s")).isZero();
    }

    @Test
    void messages_of_qos_1_and_what_is_replayed_are_not_remembered() {
        TestClient subscriber = subscriber(1, "s");
        TestClient publisher = f.node.client(0, "transient");
        publisher.publish("a", 1, 1, "one");
        publisher.publish("a", 2, 7, true, "x".getBytes(StandardCharsets.UTF_8));
        f.node.settle();
        assertThat(inMemory("s")).isEqualTo(1);
        subscribe(subscriber, 2, "a");
        f.node.settle();
        assertThat(subscriber.payloads()).as("and nothing is taken for it").hasSize(3);
        assertThat(inMemory("s")).isEqualTo(1);
    }

    @Test
    void a_predecessor_is_loaded_and_recognises_what_it_had_and_is_drained_first_and_given_up() {
        subscriber(1, "old").cut();
        subscriber(1, "s").cut();
        TestClient publisher = f.durable(0, "p");
        publisher.publish("a", 2, 7, "x");
        f.node.settle();
        long old = f.queueId("old");
        long own = f.queueId("s");
        f.state().precede(own, old);
        f.state().notTaken(f.queueId("p"), 7);
        f.crash(0);
        assertThat(f.node.session("s").queue().messages()).isEqualTo(2);

        publisher = again("p", 7, "x");
        assertThat(publisher.acks(PacketType.PUBREC)).containsExactly(7);
        assertThat(f.rows(own)).containsExactly("x");
        publisher.publish("a", 2, 8, "y");
        publisher.ack(PacketType.PUBREL, 7);
        f.node.settle();
        TestClient back = f.durable(1, "s");
        take(back);
        f.node.settle();
        for (int packetId = 1; packetId <= 3; packetId++) {
            back.ack(PacketType.PUBCOMP, packetId);
        }
        f.node.settle();
        assertThat(back.payloads()).containsExactly("x", "x", "y");
        assertThat(f.rows(old)).isEmpty();
        assertThat(f.state().predecessor(own)).as("given up").isZero();
        f.crash(0);
        assertThat(f.durable(1, "s").payloads()).isEmpty();
    }

    @Test
    void the_oldest_goes_when_there_are_too_many_and_is_counted() {
        subscriber(0, "s").cut();
        f.node.settle();
        ClientQueue queue = Objects.requireNonNull(f.node.session("s")).queue();
        List<Receipt> receipts = new ArrayList<>();
        for (int i = 0; i <= IngressMemory.MAX; i++) {
            Receipt receipt = new Receipt(null, 1, 2);
            receipts.add(receipt);
            queue.intake().add(message(i), 2, false, new int[0], receipt, null);
        }
        f.node.settle();
        assertThat(queue.remembered()).hasSize(IngressMemory.MAX);
        assertThat(queue.remembered().getFirst().ingress().counter()).isEqualTo(1);
        assertThat(queue.messages()).isEqualTo(IngressMemory.MAX + 1);
        assertThat(f.node.shards[0].counters().total(Metric.INGRESS_FORGOTTEN)).isEqualTo(1);
        queue.intake().add(message(5), 2, false, new int[0], new Receipt(null, 1, 2), null);
        assertThat(queue.messages()).as("recognised").isEqualTo(IngressMemory.MAX + 1);
        queue.intake().add(message(0), 2, false, new int[0], new Receipt(null, 1, 2), null);
        assertThat(queue.messages()).as("not any more").isEqualTo(IngressMemory.MAX + 2);
    }

    private static Message message(long counter) {
        return new Message(
                Topic.of("a"), new byte[0], new byte[0], 2, false, Message.NEVER, null, 1, counter);
    }
}
