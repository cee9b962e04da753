package io.godwit.durability;

import static io.godwit.durability.Clients.barrier;
import static io.godwit.durability.Clients.durable;
import static io.godwit.durability.Clients.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.wire.ConnectBytes;
import io.godwit.conformance.wire.WireClient;

/** The broker is killed (SIGKILL) and started again. */
class KilledIT extends RestartContract {
    @Override
    void down() {
        node.kill();
    }

    @SideBySide
    void every_connected_client_has_left_when_the_broker_was_killed_so_its_will_comes_once() {
        watchWills();
        clients.connect(withWill(ConnectBytes.v5(id("transient")), "transient", 0));
        clients.connect(withWill(durable(id("durable")), "durable", 0));
        clients.connect(withWill(durable(id("delayed")), "delayed", 1));
        clients.connect(withWill(durable(id("comes back")), "never", HOUR));
        // Closed by the broker: so it is kept that this will is given up.
        clients.connect(withWill(ConnectBytes.v5(id("left")), "left in order", 0)).disconnect();

        restart();

        comesBackAndEnds(id("comes back"));
        WireClient watcher = watcher();
        assertThat(texts(watcher, 3)).containsExactlyInAnyOrder("transient", "durable", "delayed");
        nothingElse(watcher);
        barrier(watcher); // its PUBACKs are kept

        restart();
        watcher().quiet();
    }
}
