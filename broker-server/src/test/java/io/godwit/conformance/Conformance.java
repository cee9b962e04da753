package io.godwit.conformance;

import static io.godwit.conformance.wire.Bytes.concat;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.target.Profile;
import io.godwit.conformance.target.Target;
import io.godwit.conformance.wire.ConnectBytes;
import io.godwit.conformance.wire.PublishBytes;
import io.godwit.conformance.wire.TcpTransport;
import io.godwit.conformance.wire.WebSocketTransport;
import io.godwit.conformance.wire.WireClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What every conformance test starts from. Tests run at the same time against one broker: client
 * identifiers and topics come from {@link #id} and {@link #topic}, so that none meets another's.
 *
 * <p>A test has to fail against a broker that always closes and against one that accepts
 * everything. So it shows the good variant accepted, and either the bad one refused or something
 * that a relay of bytes would not do.
 */
@ExtendWith(ConformanceExtension.class)
public abstract class Conformance {
    /**
     * What a test locks that subscribes to all topics of the broker, and what one reads that
     * expects nobody to have subscribed to its own.
     */
    protected static final String EVERY_TOPIC = "every topic";

    private static final String RUN = Long.toString(System.nanoTime() & 0xFFFFFFFFFL, 36);
    private static final AtomicInteger COUNT = new AtomicInteger();

    /** Ends with what stands nowhere else in it: with a name behind it, it is no other test's. */
    private final String unique = RUN + Integer.toString(COUNT.incrementAndGet(), 36) + "Z";

    private final List<WireClient> clients = new ArrayList<>();
    private @Nullable Target target;
    private Profile profile = Profile.DEFAULT;
    private int ids;

    void prepare(Target target, Profile profile) {
        this.target = target;
        this.profile = profile;
    }

    /** Whether the tests of this class speak MQTT 5.0; otherwise 3.1.1. */
    protected abstract boolean v5();

    /** A client identifier of this test: letters and digits, at most 23. */
    protected String id() {
        return id(Integer.toString(ids++));
    }

    protected String id(String name) {
        return "c" + unique + name;
    }

    /** A topic of this test, three levels deep when the name has one. */
    protected String topic(String name) {
        return "conformance/" + unique + "/" + name;
    }

    /** CONNECT with an identifier of its own. */
    protected ConnectBytes connect() {
        return connect(id());
    }

    protected ConnectBytes connect(String clientId) {
        return v5() ? ConnectBytes.v5(clientId) : ConnectBytes.v311(clientId);
    }

    protected PublishBytes publish(String topic) {
        return v5() ? PublishBytes.v5(topic) : PublishBytes.v311(topic);
    }

    /** A connection over which nothing has been said. */
    protected WireClient open() {
        return open(v5());
    }

    /**
     * @param readsV5 whether it takes what comes for MQTT 5.0
     */
    protected WireClient open(boolean readsV5) {
        try {
            var transport = new TcpTransport(target().tcp(profile));
            return remember(new WireClient(transport, readsV5, target().patience()));
        } catch (IOException e) {
            throw new AssertionError("no connection", e);
        }
    }

    /** A WebSocket whose handshake is over, however it ended. */
    protected WebSocketTransport webSocket(String protocols) throws IOException {
        var address = target().webSocket(profile);
        int timeoutMs = (int) target().patience().toMillis();
        var webSocket = new WebSocketTransport(address, protocols, timeoutMs);
        return remember(webSocket);
    }

    private WebSocketTransport remember(WebSocketTransport webSocket) {
        remember(new WireClient(webSocket, v5(), target().patience()));
        return webSocket;
    }

    protected WireClient webSocketClient(WebSocketTransport webSocket) {
        return new WireClient(webSocket, v5(), target().patience());
    }

    private WireClient remember(WireClient client) {
        clients.add(client);
        return client;
    }

    protected Target target() {
        return Objects.requireNonNull(target);
    }

    protected Profile profile() {
        return profile;
    }

    /** A connected client. */
    protected WireClient client() {
        return client(connect());
    }

    protected WireClient client(ConnectBytes connect) {
        WireClient client = open(connect.isV5());
        client.send(connect).accepted();
        return client;
    }

    /** Sends CONNECT on a new connection and expects it to be accepted. */
    protected void accepted(ConnectBytes connect) {
        client(connect).quiet();
    }

    /** Sends CONNECT on a new connection: CONNACK with this code, then closed. */
    protected void refused(ConnectBytes connect, int reason) {
        open(connect.isV5()).send(connect).refused(reason);
    }

    /** Sends CONNECT on a new connection: closed without a word. */
    protected void closed(ConnectBytes connect) {
        open(connect.isV5()).send(connect).closed();
    }

    /** Connects, sends these bytes, and expects DISCONNECT (5.0) with the code and the end. */
    protected void disconnects(int reason, byte[]... bad) {
        client().send(bad).disconnected(reason);
    }

    /**
     * Nothing more is on its way from {@code publisher} to {@code subscriber}: what it publishes
     * now at that QoS is the next that arrives.
     */
    protected void nothingBefore(
            WireClient publisher, WireClient subscriber, String topic, int qos) {
        String fence = "fence-" + publisher.nextPacketId();
        var publish = publish(topic).payload(fence);
        if (qos == 0) {
            publisher.send(publish);
        } else {
            int packetId = publisher.nextPacketId();
            publisher.send(publish.qos(qos, packetId));
            if (qos == 1) {
                publisher.pubAck(packetId);
            } else {
                publisher.pubRec(packetId);
                publisher.sendAck(6, packetId).pubComp(packetId);
            }
        }
        var received = subscriber.publish(fence);
        if (received.qos() == 1) {
            subscriber.sendAck(4, received.packetId());
        } else if (received.qos() == 2) {
            subscriber.sendAck(5, received.packetId()).pubRel(received.packetId());
            subscriber.sendAck(7, received.packetId());
        }
    }

    /** Publishes at QoS 1 and waits for a PUBACK below 0x80. */
    protected void publishes(WireClient publisher, String topic, String payload) {
        int packetId = publisher.nextPacketId();
        publisher.send(publish(topic).qos(1, packetId).payload(payload)).pubAck(packetId);
    }

    /** Publishes at QoS 2, the whole exchange. */
    protected void publishesQos2(WireClient publisher, String topic, String payload) {
        int packetId = publisher.nextPacketId();
        publisher.send(publish(topic).qos(2, packetId).payload(payload)).pubRec(packetId);
        WireClient released = publisher.sendAck(6, packetId);
        if (v5()) {
            released.pubComp(packetId, 0);
        } else {
            released.pubComp(packetId);
        }
    }

    /** A hundred messages of each QoS, sent at once, come in the order of their PUBLISHes. */
    protected void comesInOrder(WireClient publisher, WireClient subscriber, String topic) {
        for (int qos = 0; qos <= 2; qos++) {
            byte[] all = {};
            for (int i = 0; i < 100; i++) {
                var publish = publish(topic).payload(qos + "-" + i);
                all = concat(all, (qos == 0 ? publish : publish.qos(qos, 900 + i).dup()).bytes());
            }
            publisher.send(all);
            for (int i = 0; i < 100 && qos > 0; i++) {
                if (qos == 1) {
                    publisher.pubAck(900 + i);
                } else {
                    publisher.pubRec(900 + i);
                }
            }
            for (int i = 0; i < 100 && qos == 2; i++) {
                publisher.sendAck(6, 900 + i).pubComp(900 + i);
            }
            for (int i = 0; i < 100; i++) {
                var received = subscriber.publish(qos + "-" + i);
                assertThat(received.dup()).isFalse();
                if (qos == 1) {
                    subscriber.sendAck(4, received.packetId());
                }
            }
        }
    }

    /** A message of each QoS comes at the lower of its own and the granted one. */
    protected void comesAtTheLowerQos(int granted) {
        String topic = topic("granted" + granted);
        var subscriber = client().subscribe(topic, granted);
        var publisher = client();
        publisher.send(publish(topic).payload("m0"));
        publishes(publisher, topic, "m1");
        publishesQos2(publisher, topic, "m2");
        var received = subscriber.publishes(3);
        for (int published = 0; published <= 2; published++) {
            int expected = Math.min(granted, published);
            assertThat(received.get("m" + published).qos()).isEqualTo(expected);
        }
    }

    /**
     * Lets time pass for what takes time by its nature, such as an expiry; never instead of an
     * answer.
     */
    protected static void elapse(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void closeClients() {
        clients.forEach(WireClient::close);
    }
}
