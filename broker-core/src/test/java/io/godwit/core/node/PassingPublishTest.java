package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.message.PassingMessage;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.NodeRef;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What goes to other nodes alone is passed on as it came, and nothing else is. */
class PassingPublishTest {
    private static final NodeRef FAR = new NodeRef(9);

    private final List<String> sent = new ArrayList<>();
    private final List<Long> counters = new ArrayList<>();
    private final List<Receipt> receipts = new ArrayList<>();
    private final List<Runnable> whenRoom = new ArrayList<>();
    private boolean hasRoom = true;

    private @Nullable Object onCall(String name, Object[] arguments) {
        switch (name) {
            case "publish" -> {
                Message message = (Message) arguments[2];
                String text = new String(message.payload, StandardCharsets.UTF_8);
                sent(message.topic + " " + shown(text), message.ingressCounter, arguments[3]);
            }
            case "passOn" -> {
                PassingMessage passing = (PassingMessage) arguments[1];
                String text = new String(passing.frame.copyPayload(), StandardCharsets.UTF_8);
                String what = passing.topic + " " + shown(text) + " of " + passing.publisher;
                sent("passes " + what, passing.ingressCounter, arguments[2]);
            }
            case "whenRoom" -> whenRoom.add((Runnable) arguments[1]);
            default -> {}
        }
        return name.equals("hasRoom") ? hasRoom : null;
    }

    private static String shown(String text) {
        return text.length() > 10 ? "long" : text;
    }

    private void sent(String what, long counter, @Nullable Object waits) {
        sent.add(what);
        counters.add(counter);
        if (waits instanceof Receipt receipt) {
            receipt.await();
            receipts.add(receipt);
        }
    }

    private final TestNode node = new TestNode(1, new FarNodes(this::onCall));
    private final TestClient client = node.open(0, ProtocolVersion.MQTT_5);

    PassingPublishTest() {
        node.broker.index().addNode(TopicFilter.of("far/#"), FAR);
        client.connect("p", true, 0, 0);
        node.settle();
        client.packets();
    }

    private void publish(String topic, int qos, int packetId, String payload) {
        client.publish(topic, qos, packetId, payload);
        node.settle();
    }

    @Test
    void behind_one_of_the_same_topic_it_passes_with_the_next_ingress_id() {
        publish("far/a", 0, 0, "1");
        publish("far/a", 0, 0, "2");
        publish("far/a", 0, 0, "3");
        publish("far/b", 0, 0, "4");
        publish("far/b", 0, 0, "5");
        assertThat(sent)
                .containsExactly(
                        "far/a 1",
                        "passes far/a 2 of p",
                        "passes far/a 3 of p",
                        "far/b 4",
                        "passes far/b 5 of p");
        for (int i = 1; i < counters.size(); i++) {
            assertThat(counters.get(i)).isEqualTo(counters.get(i - 1) + 1);
        }
    }

    private void answered(int which) {
        node.execute(0, () -> receipts.get(which).targetDone(true));
        node.settle();
    }

    @Test
    void it_is_acknowledged_in_its_turn_when_the_other_node_has_it() {
        publish("far/a", 1, 1, "1");
        publish("far/a", 1, 2, "2");
        publish("far/a", 1, 3, "3");
        assertThat(sent).last().isEqualTo("passes far/a 3 of p");
        answered(1);
        assertThat(client.acks(PacketType.PUBACK)).isEmpty();
        answered(0);
        answered(2);
        assertThat(client.acks(PacketType.PUBACK)).containsExactly(1, 2, 3);
    }

    @Test
    void what_is_long_or_of_qos_2_or_for_somebody_here_too_goes_as_a_message() {
        publish("far/a", 0, 0, "1");
        publish("far/a", 0, 0, "x".repeat(900));
        publish("far/a", 2, 1, "3");
        publish("far/a", 0, 0, "4");
        TestClient here = node.subscriber(0, "s", 0, "far/a");
        publish("far/a", 0, 0, "5");
        assertThat(sent)
                .containsExactly(
                        "far/a 1", "far/a long", "far/a 3", "passes far/a 4 of p", "far/a 5");
        assertThat(here.payloads()).containsExactly("5");
    }

    @Test
    void behind_one_that_waits_for_room_it_waits_too() {
        publish("far/a", 0, 0, "1");
        hasRoom = false;
        publish("far/a", 0, 0, "2");
        publish("far/a", 0, 0, "3");
        assertThat(sent).containsExactly("far/a 1");
        hasRoom = true;
        whenRoom.forEach(Runnable::run);
        node.settle();
        assertThat(sent).hasSize(3);
        publish("far/a", 0, 0, "4");
        assertThat(sent)
                .satisfies(all -> assertThat(all.get(1)).endsWith("far/a 2"))
                .satisfies(all -> assertThat(all.get(2)).contains("far/a 3"))
                .last()
                .isEqualTo("passes far/a 4 of p");
    }
}
