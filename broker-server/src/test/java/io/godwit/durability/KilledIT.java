package io.godwit.durability;

import static io.godwit.durability.Clients.durable;
import static io.godwit.durability.Clients.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.wire.ConnectBytes;
import io.godwit.conformance.wire.WireClient;
import org.junit.jupiter.api.Test;

/** The broker is killed (SIGKILL) and started again. */
class KilledIT extends RestartContract {
    @Override
    void down() {
        node.kill();
    }

    @Test
    void every_connected_client_has_left_when_the_broker_was_killed_so_its_will_comes_once() {
        watchWills();
        clients.connect(withWill(ConnectBytes.v5(id("transient")), "transient", 0));
        clients.connect(withWill(durable(id("durable")), "durable", 0));
        clients.connect(withWill(durable(id("delayed")), "delayed", 1));
        clients.connect(withWill(durable(id("comes back")), "never", 4));
        clients.connect(withWill(ConnectBytes.v5(id("left")), "left in order", 0)).disconnect();
        clients.connect(durable(id("barrier"))); // nothing tells that a DISCONNECT is kept

        restart();

        clients.resume(durable(id("comes back")));
        WireClient watcher = watcher();
        assertThat(texts(watcher, 3)).containsExactlyInAnyOrder("transient", "durable", "delayed");
        clients.connect(withWill(durable(id("later")), "later", 4)).close();
        assertThat(texts(watcher, 1)).containsExactly("later");
        watcher.quiet();
        // What is kept of the watcher's PUBACK and of the will that was taken in follows in commits
        // of its own, which nothing tells of: a CONNACK of a durable session is that of a later
        // one.
        for (int i = 0; i < 3; i++) {
            clients.connect(durable(id("barrier " + i)));
        }

        restart();
        watcher().quiet();
    }
}
