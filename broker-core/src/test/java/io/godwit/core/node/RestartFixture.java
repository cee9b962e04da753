package io.godwit.core.node;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.packet.Will;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.Rules;
import io.godwit.core.store.KeptState;
import io.godwit.core.store.KeptStore;
import io.godwit.core.store.SessionRecord;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A broker of two shards that crashes and starts again on the same store. */
final class RestartFixture {
    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static final int SHARDS = 2;

    final KeptStore store = new KeptStore();
    final SettableTime time = new SettableTime();
    LimitSettings limits = LimitSettings.DEFAULTS;
    OverloadSettings overload = OverloadSettings.DEFAULTS;
    TestNode node;

    RestartFixture() {
        node = start();
    }

    private TestNode start() {
        TestNode started =
                TestNode.of(Cluster.NONE, 1, SHARDS, store, time, Rules.ALL, limits, overload);
        started.recover();
        return started;
    }

    /** The process ends in the middle of things; what was not committed is gone. */
    void crash(long downMs) {
        time.advance(downMs);
        node = start();
        node.settle();
    }

    /** The broker is told to stop, and does. */
    void stop() {
        boolean[] stopped = {false};
        node.broker.stop(() -> stopped[0] = true);
        node.settle();
        if (!stopped[0]) {
            throw new AssertionError("the stop never ends");
        }
    }

    KeptState state() {
        return store.state();
    }

    TestClient durable(int shard, String clientId) {
        return connect(shard, clientId, false, 3600, null);
    }

    TestClient connect(
            int shard,
            String clientId,
            boolean cleanStart,
            long expirySeconds,
            @Nullable Will will) {
        TestClient client = node.open(shard, ProtocolVersion.MQTT_5);
        client.connect(clientId, cleanStart, expirySeconds, 0, will);
        node.settle();
        return client;
    }

    static Will will(int qos, boolean retain, long delaySeconds) {
        return new Will(
                Topic.of("will"),
                qos,
                retain,
                "gone".getBytes(StandardCharsets.UTF_8),
                delaySeconds,
                Properties.NONE);
    }

    static void disconnect(TestClient client, ReasonCode reason) {
        client.send(new Packet.Disconnect(reason, Properties.NONE));
    }

    static void subscribe(TestClient client, int qos, String... filters) {
        client.subscribe(1, qos, filters);
    }

    static boolean isPresent(TestClient client) {
        return connAck(client).sessionPresent();
    }

    static Packet.ConnAck connAck(TestClient client) {
        return client.packets().stream()
                .filter(Packet.ConnAck.class::isInstance)
                .map(Packet.ConnAck.class::cast)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no CONNACK"));
    }

    long queueId(String clientId) {
        SessionRecord record = state().session(ClientId.of(clientId));
        if (record == null) {
            throw new AssertionError("no record of " + clientId);
        }
        return record.queueId();
    }

    boolean isKept(String clientId) {
        return state().session(ClientId.of(clientId)) != null;
    }

    /** Payloads of a queue's rows, in order. */
    List<String> rows(long queueId) {
        return state().rows(queueId).stream()
                .map(row ->
                        row.message == null
                                ? "released"
                                : new String(row.message.payload, StandardCharsets.UTF_8))
                .toList();
    }

    /** The rows of some queues together, in id order. */
    List<String> rows(List<Long> queueIds) {
        return queueIds.stream()
                .flatMap(id -> state().rows(id).stream())
                .sorted(Comparator.comparing(row -> row.id))
                .map(row ->
                        row.message == null
                                ? "released"
                                : new String(row.message.payload, StandardCharsets.UTF_8))
                .toList();
    }

    List<String> rows(String clientId) {
        return rows(queueId(clientId));
    }

    int sessions() {
        int sum = 0;
        for (BrokerShard shard : node.shards) {
            sum += (int) shard.load().sessions();
        }
        return sum;
    }

    int registered() {
        int sum = 0;
        for (BrokerShard shard : node.shards) {
            sum += shard.registrar().size();
        }
        return sum;
    }

    static TopicFilter filter(String text) {
        return TopicFilter.of(text);
    }
}
