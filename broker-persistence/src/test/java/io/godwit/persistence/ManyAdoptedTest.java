package io.godwit.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.SettableTime;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.rocks.RocksDisk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ten thousand sessions are adopted on a real disk; prints how long it took. */
class ManyAdoptedTest {
    private static final int COUNT = Integer.getInteger("adopted.sessions", 10_000);

    @TempDir Path folder;

    private final SettableTime time = new SettableTime();

    @Test
    void ten_thousand_sessions_are_adopted_some_hundred_at_a_time() throws Exception {
        AdoptingNode leader = new AdoptingNode(AdoptingNode.LEADER, time);
        subscribeAll(leader);
        leader.publish("all", 1, "m");
        Path at = Files.createDirectory(folder.resolve("store"));
        RocksDisk disk = RocksDisk.serve(at, 0);
        AdoptingNode node =
                new AdoptingNode(
                        AdoptingNode.FOLLOWER,
                        new StepWorkers(),
                        disk,
                        SmallStore.journal(disk, at),
                        time);
        node.follow(leader);
        leader.parts.clear();
        assertThat(node.store.value(StoreMetric.COPIES)).isGreaterThanOrEqualTo(COUNT);

        List<Boolean> done = new ArrayList<>();
        long started = System.nanoTime();
        for (int set = 1; set < 9; set++) {
            node.beginToAdopt(leader, set, () -> done.add(true));
        }
        long longest = 0;
        long shards = 0;
        while (done.size() < 8) {
            long before = System.nanoTime();
            node.node.settle();
            long took = System.nanoTime() - before;
            longest = Math.max(longest, took);
            shards += took;
            node.workers.step();
        }
        System.out.printf(
                "%d sessions adopted in %d ms: shards %d ms, longest step of both %d us%n",
                COUNT,
                (System.nanoTime() - started) / 1_000_000,
                shards / 1_000_000,
                longest / 1_000);

        node.settle();
        assertThat(node.store.value(StoreMetric.COPIES)).isZero();
        for (int i = 0; i < COUNT; i += COUNT / 10) {
            TestClient client = node.connect("s" + i, 0);
            assertThat(client.payloads()).containsExactly("m");
        }
        node.store.close();
    }

    private static void subscribeAll(AdoptingNode leader) {
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            TestClient client = leader.node.open(0, ProtocolVersion.MQTT_5);
            client.connect("s" + i, false, 3_600, 0);
            clients.add(client);
            if (clients.size() == 100) {
                subscribe(leader, clients);
            }
        }
        subscribe(leader, clients);
    }

    private static void subscribe(AdoptingNode leader, List<TestClient> clients) {
        leader.settle();
        clients.forEach(each -> each.subscribe(1, 1, "all"));
        leader.settle();
        clients.forEach(TestClient::cut);
        leader.settle();
        clients.clear();
    }
}
