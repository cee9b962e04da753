package io.godwit.cluster.broker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.leadership.SlotLeaders;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Node 1 takes over from node 2, which is only taken for dead. Node 3 hears node 2 alone, so it
 * does not hear of the sessions that node 1 has now.
 */
class MissedTakeOverTest {
    private final LoopNodes nodes = new LoopNodes(3, new SplittableRandom(1));
    private final LoopNodes.One taker = nodes.node(1);
    private final LoopNodes.One former = nodes.node(2);
    private final LoopNodes.One source = nodes.node(3);
    private final TestClient publisher = source.client("publisher", 0);

    @SuppressWarnings("NullAway.Init") // set by takeOver()
    private TestClient subscriber;

    @BeforeEach
    void cutTheNewLeaderOff() {
        former.subscriber("subscriber", "t").cut();
        nodes.cut(taker, former);
        nodes.cut(taker, source);
    }

    private void takeOver() {
        nodes.pass(2_000);
        subscriber = taker.connectAs(former.id("subscriber"), false, 1_000);
        SlotLeaders leaders = taker.part().slots().leaders();
        taker.part().slots().takeOver(former.server, leaders.ledBy(former.server));
        nodes.pass(500);
        subscriber.subscribe(1, 1, "t");
        nodes.link(taker, former);
        nodes.pass(2_000);
    }

    private boolean isAcknowledged() {
        return publisher.packets().stream()
                .anyMatch(
                        each -> each instanceof Packet.Ack ack && ack.type() == PacketType.PUBACK);
    }

    @Test
    void message_waits_until_its_node_hears_the_new_leader() {
        takeOver();
        publisher.publish("t", 1, 1, "m");
        nodes.pass(2_000);
        assertThat(isAcknowledged()).isFalse();

        nodes.link(taker, source);
        nodes.pass(2_000);
        assertThat(isAcknowledged()).isTrue();
        assertThat(subscriber.payloads()).containsExactly("m");
    }

    @Test
    void message_waits_also_while_its_node_hears_the_former_leader_no_more() {
        takeOver();
        nodes.cut(former, source);
        publisher.publish("t", 1, 1, "m");
        nodes.pass(2_000);
        assertThat(isAcknowledged()).isFalse();
    }

    @Test
    void message_that_waits_for_the_former_leader_goes_to_the_new_one_and_is_not_lost() {
        nodes.cut(former, source);
        publisher.publish("t", 1, 1, "m");
        takeOver();
        nodes.link(former, source);
        nodes.pass(2_000);
        assertThat(isAcknowledged()).isFalse();

        nodes.link(taker, source);
        nodes.pass(2_000);
        assertThat(subscriber.payloads()).containsExactly("m");
        assertThat(isAcknowledged()).isTrue();
    }

    @Test
    void retained_message_that_waits_for_the_former_leader_is_not_lost() {
        nodes.cut(former, source);
        publisher.publish("t", 1, 1, true, "m".getBytes(UTF_8));
        takeOver();
        nodes.link(former, source);
        nodes.pass(2_000);
        assertThat(isAcknowledged()).isFalse();

        nodes.link(taker, source);
        nodes.pass(2_000);
        assertThat(subscriber.payloads()).containsExactly("m");
        assertThat(isAcknowledged()).isTrue();
    }

    @Test
    void publishers_go_on_when_the_new_leader_is_forgotten() {
        takeOver();
        publisher.publish("t", 1, 1, "m");
        nodes.pass(2_000);
        taker.crash();
        nodes.forget(taker.server);
        nodes.pass(2_000);
        assertThat(isAcknowledged()).isTrue();
    }
}
