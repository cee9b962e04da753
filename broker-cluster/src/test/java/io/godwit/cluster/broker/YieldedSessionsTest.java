package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.store.Store;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Sessions of a leader that was taken over from while it slept. */
class YieldedSessionsTest {
    private static final int FORMER = 1;
    private static final int SESSIONS = 1_200;

    private final Yields yields = new Yields();
    private final FailoverSimulation run = new FailoverSimulation(1, 3, 2, yields);

    /** Counts the sessions that the former leader makes copies of another node's. */
    private final class Yields implements FailoverWatch {
        private int all;
        private int inStep;
        private int most;
        private long step;

        @Override
        public Store onStore(int server, Store store) {
            return server == FORMER ? SeenStore.of(store, this::onTold) : store;
        }

        private void onTold(String operation, Object[] of) {
            if (operation.equals("yieldTo")) {
                all++;
                inStep = run.steps() == step ? inStep + 1 : 1;
                step = run.steps();
                most = Math.max(most, inStep);
            }
        }
    }

    private FailoverNode.Process former() {
        return run.node(FORMER).running();
    }

    private void connectAndLeave(String id) {
        int shard = id.hashCode() & 1;
        former().onShard(
                        shard,
                        () -> {
                            TestClient client =
                                    TestClient.open(
                                            former().shard(shard),
                                            OverloadSettings.DEFAULTS,
                                            ProtocolVersion.MQTT_5);
                            client.connect(id, true, 100_000, 0);
                            former().later(300_000, () -> former().onShard(shard, client::cut));
                        });
    }

    @Test
    void sessions_become_copies_some_in_one_turn() {
        run.beginNodes();
        List<String> ids =
                Stream.iterate(0, each -> each + 1)
                        .map(each -> "c" + each)
                        .filter(each ->
                                former().part().slots().leaders().acts(ClientId.of(each).slot()))
                        .limit(SESSIONS)
                        .toList();
        ids.forEach(this::connectAndLeave);
        run.pass(3_000_000);

        run.sleep(run.node(FORMER), 12_000_000);
        run.pass(12_000_000);
        run.heal();
        run.runUntil(() -> yields.all >= SESSIONS, "the former leader's sessions");
        assertThat(yields.all).isEqualTo(SESSIONS);
        assertThat(yields.most)
                .as("a slice, and one that the other shard has handed over")
                .isBetween(50, 2 * YieldedSessions.SLICE);
    }
}
