package io.godwit.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.godwit.server.BrokerFixture;
import io.godwit.server.client.CheckingLoad.Counts;
import io.godwit.server.client.CheckingLoad.Node;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckingLoadIT {
    private static final Duration LONGEST = Duration.ofSeconds(60);

    @TempDir Path folder;

    /** Starts a broker at the same port as the one before. */
    private BrokerFixture start(int port, String store) {
        return BrokerFixture.start(
                "listeners.mqtt.bind=127.0.0.1:" + port,
                "node.data=" + folder.resolve("data"),
                "durability.store=" + store);
    }

    private static CheckingLoad load(int port) {
        return new CheckingLoad(
                List.of(new Node("n1", "127.0.0.1", port), new Node("n2", "127.0.0.1", port)));
    }

    @Test
    void load_loses_nothing_and_goes_on_when_its_broker_restarts() {
        BrokerFixture first = start(0, "rocksdb");
        int port = first.port();
        try (CheckingLoad load = load(port)) {
            load.start();
            awaitAcknowledged(load, 8);
            first.close();
            try (BrokerFixture second = start(port, "rocksdb")) {
                awaitAcknowledged(load, load.counts().acknowledged() + 12);
                await().atMost(LONGEST).until(() -> load.counts().onTheirWay() == 0);
                assertThat(load.counts().lost()).isZero();
                assertThat(second.port()).isEqualTo(port);
            }
        }
    }

    @Test
    void load_finds_what_a_broker_that_forgets_its_sessions_has_lost() {
        BrokerFixture first = start(0, "memory");
        int port = first.port();
        try (CheckingLoad load = load(port)) {
            load.start();
            awaitAcknowledged(load, 4);
            first.close();
            try (BrokerFixture second = start(port, "memory")) {
                await().atMost(LONGEST).until(() -> load.counts().lost() > 0);
                assertThat(second.port()).isEqualTo(port);
            }
        }
    }

    private static void awaitAcknowledged(CheckingLoad load, long count) {
        await().atMost(LONGEST)
                .until(() -> {
                    Counts counts = load.counts();
                    return counts.acknowledged() >= count;
                });
    }
}
