package io.godwit.durability;

import io.godwit.conformance.wire.Bytes;
import io.godwit.conformance.wire.ConnectBytes;
import io.godwit.conformance.wire.Frame;
import io.godwit.conformance.wire.Props;
import io.godwit.conformance.wire.PublishBytes;
import io.godwit.conformance.wire.TcpTransport;
import io.godwit.conformance.wire.WireClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/** Clients of one test, of whichever broker runs now. */
final class Clients implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final IntSupplier port;
    private final List<WireClient> open = new ArrayList<>();

    Clients(IntSupplier port) {
        this.port = port;
    }

    int port() {
        return port.getAsInt();
    }

    /** CONNECT was sent. */
    WireClient send(ConnectBytes connect) {
        try {
            var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port());
            WireClient client = new WireClient(new TcpTransport(address), connect.isV5(), PATIENCE);
            open.add(client);
            return client.send(connect);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** CONNACK with 0x00 is here. */
    WireClient connect(ConnectBytes connect) {
        WireClient client = send(connect);
        client.accepted();
        return client;
    }

    /** CONNACK said that the session is there. */
    WireClient resume(ConnectBytes connect) {
        WireClient client = send(connect);
        if (!client.accepted().sessionPresent()) {
            throw new AssertionError("the session is gone");
        }
        return client;
    }

    /** CONNECT of 5.0 that makes, or goes on with, a session of ten minutes. */
    static ConnectBytes durable(String clientId) {
        return durable(clientId, 600);
    }

    static ConnectBytes durable(String clientId, long expirySeconds) {
        return ConnectBytes.v5(clientId)
                .clean(false)
                .properties(Props.sessionExpiry(expirySeconds));
    }

    /** CONNECT of 3.1.1 with clean session 0. */
    static ConnectBytes durable311(String clientId) {
        return ConnectBytes.v311(clientId).clean(false);
    }

    static ConnectBytes durable31(String clientId) {
        return durable311(clientId).level(3).protocolName(Bytes.utf8("MQIsdp"));
    }

    /** A durable 5.0 session with one subscription whose client has gone. */
    void away(String clientId, String filter, int qos) {
        connect(durable(clientId)).subscribe(filter, qos).disconnect();
    }

    /** A transient 5.0 client. */
    WireClient publisher(String clientId) {
        return connect(ConnectBytes.v5(clientId));
    }

    /** Publishes and returns when everything that was promised for it is there. */
    static void publish(WireClient client, String topic, int qos, String payload) {
        publish(client, PublishBytes.v5(topic).payload(payload), qos);
    }

    static void publish(WireClient client, PublishBytes message, int qos) {
        int id = client.nextPacketId();
        client.send(qos == 0 ? message : message.qos(qos, id));
        if (qos == 1) {
            client.pubAck(id);
        } else if (qos == 2) {
            client.pubRec(id);
            client.sendAck(6, id);
            client.pubComp(id);
        }
    }

    /**
     * Takes that many messages, each to the end of its handshake.
     *
     * @return in the order of their arrival
     */
    static List<Frame.Publish> take(WireClient client, int count) {
        List<Frame.Publish> taken = new ArrayList<>();
        int releases = 0;
        while (taken.size() < count || releases > 0) {
            Frame frame = client.next();
            if (frame.type() == 6) {
                releases--;
                client.sendAck(7, frame.ack(6).packetId());
                continue;
            }
            Frame.Publish message = frame.publish();
            taken.add(message);
            if (message.qos() > 0) {
                client.sendAck(message.qos() == 1 ? 4 : 5, message.packetId());
            }
            releases += message.qos() == 2 ? 1 : 0;
        }
        return taken;
    }

    /** The texts of that many messages, in the order of their arrival. */
    static List<String> texts(WireClient client, int count) {
        return take(client, count).stream().map(Frame.Publish::text).toList();
    }

    /** What the broker did for this client before is kept: SUBACK comes after all of it. */
    static void barrier(WireClient client) {
        client.subscribe("barrier/only", 0);
    }

    @Override
    public void close() {
        open.forEach(WireClient::close);
    }
}
