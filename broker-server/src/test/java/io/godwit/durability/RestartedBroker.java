package io.godwit.durability;

import static io.godwit.durability.Clients.durable;

import io.godwit.conformance.wire.Bytes;
import io.godwit.conformance.wire.ConnectBytes;
import io.godwit.conformance.wire.Props;
import io.godwit.conformance.wire.WireClient;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * A broker that goes and comes back. The tests share the data, so that each runs on what those
 * before it left; names are their own.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RestartedBroker {
    Node node;
    Clients clients;
    String name;

    /** The broker goes. */
    abstract void down();

    @BeforeAll
    void start(@TempDir Path folder) {
        node = new Node(folder, "durability.window=500ms", "queues.page=20").up();
    }

    @BeforeEach
    void begin(TestInfo test) {
        clients = node.clients();
        name = test.getTestMethod().orElseThrow().getName();
    }

    @AfterEach
    void end() {
        clients.close();
    }

    @AfterAll
    void close() {
        node.close();
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
