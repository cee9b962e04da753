package io.godwit.durability;

import static io.godwit.durability.Clients.durable;
import static io.godwit.durability.Clients.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.wire.ConnectBytes;
import io.godwit.conformance.wire.WireClient;

/** The broker is stopped in order (SIGTERM) and started again. */
class StoppedIT extends RestartContract {
    @Override
    void down() {
        node.stop();
    }

    @SideBySide
    void wills_of_durable_sessions_wait_for_the_restart_and_those_of_transient_ones_do_not() {
        watchWills();
        clients.connect(withWill(ConnectBytes.v5(id("transient")), "at the stop", 0));
        clients.connect(withWill(durable(id("stays away")), "after the restart", 1));
        clients.connect(withWill(durable(id("comes back")), "never", HOUR));

        restart();

        comesBackAndEnds(id("comes back"));
        WireClient watcher = watcher();
        assertThat(texts(watcher, 2)).containsExactly("at the stop", "after the restart");
        nothingElse(watcher);
    }
}
