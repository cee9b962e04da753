package io.godwit.durability;

import static io.godwit.durability.Clients.durable;
import static io.godwit.durability.Clients.publish;
import static io.godwit.durability.Clients.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.wire.Bytes;
import io.godwit.conformance.wire.ConnectBytes;
import io.godwit.conformance.wire.Props;
import io.godwit.conformance.wire.WireClient;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** A broker that goes and comes back, with a folder of its own for each test. */
abstract class RestartedBroker {
    static final long HOUR = 3_600;

    /** A start keeps a processor busy. */
    private static final Semaphore AT_A_TIME = new Semaphore(3);

    Node node;
    Clients clients;
    String name;

    /** The broker goes. */
    abstract void down();

    @BeforeEach
    void begin(TestInfo test, @TempDir Path folder) {
        AT_A_TIME.acquireUninterruptibly();
        name = test.getTestMethod().orElseThrow().getName();
        node = new Node(folder, "durability.window=500ms", "queues.page=20");
        clients = node.clients();
        node.up();
    }

    @AfterEach
    void end() {
        try {
            clients.close();
            node.close();
        } finally {
            AT_A_TIME.release();
        }
    }

    void restart() {
        down();
        node.up();
    }

    /** A client id of this test\'s own. */
    final String id(String of) {
        return name + "-" + of;
    }

    final String topic(String of) {
        return name + "/" + of;
    }

    /**
     * The client comes back without a will and its session ends in a way that publishes one: the
     * will that waited for its delay is gone.
     */
    void comesBackAndEnds(String clientId) {
        WireClient back = clients.resume(durable(clientId));
        back.send(Bytes.packet(0xE0, Bytes.u8(0x04), Bytes.props(Props.sessionExpiry(0))));
        back.closed();
    }

    /** What was published to the watcher before this has come, and nothing else. */
    void nothingElse(WireClient watcher) {
        publish(clients.publisher(id("fence")), topic("wills"), 1, "fence");
        assertThat(texts(watcher, 1)).containsExactly("fence");
        watcher.quiet();
    }

    /** The will of a client that is connected with this delay. */
    ConnectBytes withWill(ConnectBytes connect, String of, long delaySeconds) {
        return connect.will(Bytes.utf8(topic("wills")), Bytes.bin(Bytes.text(of)))
                .willQos(1)
                .willProperties(Props.willDelay(delaySeconds));
    }

    void watchWills() {
        clients.away(id("watcher"), topic("wills"), 1);
    }

    WireClient watcher() {
        return clients.resume(durable(id("watcher")));
    }
}
