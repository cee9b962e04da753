package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.publish.LeaderAway;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A PUBLISH is refused since a node is away, and the refusal waits behind an earlier
 * acknowledgement. If the connection ends before it is told, the client sends it again, as
 * something new.
 */
class RefusedForAwayNodeTest {
    private LoopNodes nodes;
    private TestClient subscriber;
    private TestClient publisher;
    private final Set<Integer> taken = new HashSet<>();

    @BeforeEach
    void oneIsNotAnswered() {
        nodes = new LoopNodes(4, new SplittableRandom(1), LeaderAway.REFUSE);
        subscriber = nodes.node(2).subscriber("subscriber", "t/#");
        nodes.node(3).subscriber("slow", "slow");
        publisher = nodes.node(1).client("publisher", 1_000);
        slow(3, true);
        publish("slow", 1, 1, "slow");
    }

    private void slow(int node, boolean is) {
        Objects.requireNonNull(nodes.node(1).links.get(node)).isSlow = is;
        nodes.settle();
    }

    private void away() {
        nodes.node(1).silent(nodes.node(2));
        nodes.settle();
    }

    private void back() {
        nodes.node(1).heard(nodes.node(2));
        nodes.settle();
    }

    private void publish(String topic, int qos, int packetId, String text) {
        publisher.publish(topic, qos, packetId, text);
        nodes.settle();
    }

    private List<ReasonCode> reasons() {
        return publisher.packets().stream()
                .filter(Packet.Ack.class::isInstance)
                .map(packet -> ((Packet.Ack) packet).reason())
                .toList();
    }

    @Test
    void what_follows_it_on_its_topic_is_refused_until_it_is_told() {
        away();
        publish("t/1", 1, 2, "refused");
        back();
        publish("t/1", 1, 3, "later");
        publish("t/2", 1, 4, "other topic");
        assertThat(reasons()).isEmpty();
        assertThat(subscriber.payloads()).containsExactly("other topic");
        slow(3, false);
        assertThat(reasons())
                .containsExactly(
                        ReasonCode.SUCCESS,
                        ReasonCode.QUOTA_EXCEEDED,
                        ReasonCode.QUOTA_EXCEEDED,
                        ReasonCode.SUCCESS);
        publish("t/1", 1, 5, "taken");
        assertThat(subscriber.payloads()).containsExactly("other topic", "taken");
    }

    @Test
    void its_client_comes_back_and_everything_is_in_order() {
        away();
        publish("t/1", 2, 2, "first");
        back();
        publish("t/1", 2, 3, "second");
        publisher.cut();
        nodes.settle();
        slow(3, false);
        publisher = nodes.node(1).client("publisher", 1_000);
        publish("t/1", 2, 2, "first");
        publish("t/1", 2, 3, "second");
        assertThat(acks(PacketType.PUBREC)).containsExactly(2, 3);
        assertThat(subscriber.payloads()).containsExactly("first", "second");
    }

    /** There is no room for it, it waits, and is refused when the node is away. */
    @Test
    void what_is_held_behind_it_is_refused_too() {
        nodes.node(4).subscriber("slow too", "slow too");
        slow(4, true);
        publish("slow too", 1, 2, "slow");
        nodes.cut(nodes.node(1), nodes.node(2));
        fill();
        publish("t/1", 1, 3, "refused");
        publisher.send(
                new Packet.Publish(
                        Topic.of("slow too"), 1, false, true, 4, Properties.NONE, new byte[1]));
        publish("t/1", 1, 5, "later");
        publish("t/2", 1, 6, "other topic");
        nodes.pass(2_000);
        nodes.link(nodes.node(1), nodes.node(2));
        nodes.link(nodes.node(2), nodes.node(1));
        take();
        slow(4, false);
        take();
        assertThat(reasons()).isEmpty();
        slow(3, false);
        take();
        assertThat(reasons())
                .containsExactly(
                        ReasonCode.SUCCESS,
                        ReasonCode.SUCCESS,
                        ReasonCode.QUOTA_EXCEEDED,
                        ReasonCode.SUCCESS,
                        ReasonCode.QUOTA_EXCEEDED,
                        ReasonCode.SUCCESS);
        assertThat(subscriber.payloads()).contains("other topic").doesNotContain("later");
    }

    /** Clients that do not wait, until as much is kept for node 2 as may be. */
    private void fill() {
        for (int i = 0; i < 400; i++) {
            TestClient impatient = nodes.node(1).connect("impatient" + i, true, 0);
            nodes.settle();
            impatient.publish("t/impatient", 1, 1, " ".repeat(64 << 10));
            nodes.settle();
            impatient.cut();
            nodes.settle();
        }
    }

    private void take() {
        for (int i = 0; i < 20; i++) {
            for (Packet packet : List.copyOf(subscriber.packets())) {
                if (packet instanceof Packet.Publish publish && taken.add(publish.packetId())) {
                    subscriber.ack(PacketType.PUBACK, publish.packetId());
                }
            }
            nodes.pass(100);
        }
    }

    private List<Integer> acks(PacketType type) {
        return publisher.packets().stream()
                .filter(packet -> packet instanceof Packet.Ack ack && ack.type() == type)
                .map(packet -> ((Packet.Ack) packet).packetId())
                .toList();
    }
}
