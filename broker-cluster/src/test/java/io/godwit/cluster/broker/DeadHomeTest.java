package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ReasonCode;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Clients of a node that has died connect elsewhere, whichever node granted their sessions. */
class DeadHomeTest {
    private static final int CLIENTS = 40;

    private final LoopNodes nodes = new LoopNodes(3, new Random(1));

    private Packet.ConnAck connect(int server, String clientId, long expirySeconds) {
        TestClient client = nodes.node(server).client(clientId, expirySeconds);
        Packet.ConnAck answer =
                client.packets().stream()
                        .filter(Packet.ConnAck.class::isInstance)
                        .map(Packet.ConnAck.class::cast)
                        .findFirst()
                        .orElseThrow();
        client.cut();
        nodes.settle();
        return answer;
    }

    private void sessionsAt(int server) {
        for (int i = 0; i < CLIENTS; i++) {
            assertThat(connect(server, "c" + i, 3_600).code()).isZero();
        }
    }

    private void allAreRefusedAt(int server) {
        for (int i = 0; i < CLIENTS; i++) {
            assertThat(connect(server, "c" + i, 3_600).code())
                    .as("c%d at %d", i, server)
                    .isEqualTo(ReasonCode.SERVER_UNAVAILABLE.code());
        }
    }

    private void allAreThereAt(int server) {
        for (int i = 0; i < CLIENTS; i++) {
            Packet.ConnAck answer = connect(server, "c" + i, 3_600);
            assertThat(answer.code()).as("c%d", i).isZero();
            assertThat(answer.sessionPresent()).as("c%d", i).isTrue();
        }
    }

    private void dies(int server) {
        nodes.node(server).crash();
        nodes.settle();
    }

    private void isBack(int server) {
        nodes.node(server).restart();
        nodes.settle();
        nodes.pass(500);
    }

    @Test
    void durable_sessions_wait_for_their_home_and_are_all_there_when_it_is_back() {
        sessionsAt(1);
        dies(1);
        allAreRefusedAt(2);
        allAreRefusedAt(3);
        isBack(1);
        allAreThereAt(2);
    }

    @Test
    void the_same_when_the_other_nodes_die_and_come_back_meanwhile() {
        sessionsAt(1);
        dies(1);
        dies(2);
        allAreRefusedAt(3);
        isBack(2);
        allAreRefusedAt(2);
        dies(3);
        allAreRefusedAt(2);
        isBack(3);
        isBack(1);
        allAreThereAt(3);
    }

    /** Whoever was an anchor until then knows of them until it has. */
    @Test
    void the_same_when_an_anchor_that_is_back_has_not_heard_of_them() {
        sessionsAt(1);
        dies(2);
        nodes.node(2).slowFrom = 1;
        isBack(2);
        dies(1);
        nodes.node(2).slowFrom = 0;
        allAreRefusedAt(2);
        allAreRefusedAt(3);
        isBack(1);
        allAreThereAt(3);
    }

    @Test
    void of_sessions_that_have_ended_nothing_is_known_when_their_home_dies() {
        sessionsAt(1);
        dies(1);
        isBack(1);
        for (int i = 0; i < CLIENTS; i++) {
            TestClient ends = nodes.node(2).connect("c" + i, true, 0);
            nodes.settle();
            ends.cut();
            nodes.settle();
        }
        dies(1);
        for (int i = 0; i < CLIENTS; i++) {
            Packet.ConnAck answer = connect(3, "c" + i, 3_600);
            assertThat(answer.code()).as("c%d", i).isZero();
            assertThat(answer.sessionPresent()).as("c%d", i).isFalse();
        }
    }

    @Test
    void what_was_transient_is_granted_anew() {
        for (int i = 0; i < CLIENTS; i++) {
            nodes.node(1).client("c" + i, 0);
        }
        dies(1);
        for (int i = 0; i < CLIENTS; i++) {
            assertThat(connect(2 + i % 2, "c" + i, 0).code()).isZero();
        }
    }

    /** Whatever it has told nobody when it dies, it has promised nobody. */
    @Test
    void a_session_whose_home_dies_right_after_connack_is_known_of() {
        int promised = 0;
        for (int i = 0; i < CLIENTS; i++) {
            String id = "new" + i;
            TestClient client = nodes.node(1).connect(id, false, 3_600);
            for (int step = 0; step < 100 && client.packets().isEmpty(); step++) {
                LoopNodes.One next = nodes.node(1 + step % 3);
                next.deliver(1);
                next.settle();
            }
            promised += client.packets().isEmpty() ? 0 : 1;
            dies(1);
            assertThat(connect(2, id, 3_600).code())
                    .as(id)
                    .isEqualTo(ReasonCode.SERVER_UNAVAILABLE.code());
            isBack(1);
        }
        assertThat(promised).isEqualTo(CLIENTS);
    }
}
