package io.godwit.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.wire.ConnectBytes;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LastWillTest {
    private final Scene scene = Scene.ofNodes(7, 3);
    private final Client client = new Client(0, Habits.quiet(true), scene, new SplittableRandom(7));
    private final LastWill will = new LastWill(client, LastWill.TOPICS + 0);

    @BeforeEach
    void served() {
        scene.checker().leaders.found(client.name(), 1);
    }

    private void isConnected() {
        will.write(ConnectBytes.v5(client.name()));
        will.accepted();
    }

    private long due() {
        return scene.tally().of(Happening.WILLS_DUE);
    }

    @Test
    void will_is_due_unless_the_node_stops_that_serves_the_session() {
        isConnected();
        will.nodeIsLeaving(2);
        will.connectionEnded();
        assertThat(due()).isOne();
        isConnected();
        will.nodeIsLeaving(1);
        will.connectionEnded();
        assertThat(due()).isOne();
    }

    @Test
    void will_is_due_when_another_node_serves_the_session_after_its_leader_has_stopped() {
        isConnected();
        will.nodeIsLeaving(1);
        will.connectionEnded();
        will.nodeHasEnded(1);
        isConnected();
        will.connectionEnded();
        assertThat(due()).isOne();
    }
}
