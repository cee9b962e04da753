package io.godwit.benchmarks.load.cluster;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;

/**
 * A client with a durable session that connects to one node after the other, and keeps a history of
 * each stream that it gets. It remembers the packet ids of QoS 2 messages whose PUBREL has not come
 * from connection to connection, as the standard wants it.
 */
final class Mover {
    private static final int QUIET_MS = 15_000;

    private final String id;
    private final List<History> histories = new ArrayList<>();
    private final BitSet awaitingRelease = new BitSet();
    private long received;

    /**
     * @param qosOfStreams the QoS of each stream, by its number
     */
    Mover(String id, List<Integer> qosOfStreams) {
        this.id = id;
        qosOfStreams.forEach(qos -> histories.add(new History(qos)));
    }

    History history(int stream) {
        return histories.get(stream);
    }

    /** Distinct messages so far. */
    long received() {
        return received;
    }

    /** Opens a connection; its session must be there, unless it is the first. */
    Client connect(InetSocketAddress broker, boolean first) throws IOException {
        Client client = Client.connect(broker, Client.Setup.durable(id));
        client.timeoutMs(QUIET_MS);
        if (client.sessionPresent() == first) {
            client.close();
            throw new IOException(id + ": session present is " + !first);
        }
        return client;
    }

    /**
     * Reads until so many distinct messages have come in all.
     *
     * @return false when nothing came for a while before that
     */
    boolean readUntil(Client client, long goal) throws IOException {
        try {
            while (received < goal) onPacket(client, client.read());
            client.flush();
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }

    private void onPacket(Client client, Packet packet) throws IOException {
        if (packet.type() == Packet.PUBLISH) {
            if (packet.qos() == 1) {
                onMessage(packet);
                client.acknowledge(Packet.PUBACK, packet.packetId());
            } else {
                if (!awaitingRelease.get(packet.packetId())) onMessage(packet);
                awaitingRelease.set(packet.packetId());
                client.acknowledge(Packet.PUBREC, packet.packetId());
            }
        } else if (packet.type() == Packet.PUBREL) {
            awaitingRelease.clear(packet.packetId());
            client.acknowledge(Packet.PUBCOMP, packet.packetId());
        }
    }

    private void onMessage(Packet publish) {
        int stream = Message.stream(publish);
        History history = histories.get(stream);
        long number = Message.number(publish);
        History.Arrival arrival = history.received(number);
        if (arrival != History.Arrival.AGAIN) received++;
        if (arrival == History.Arrival.LATE) {
            System.err.printf(
                    Locale.ROOT,
                    "%s: message %d of stream %d, QoS %d, comes when %d has come%n",
                    id,
                    number,
                    stream,
                    publish.qos(),
                    history.next() - 1);
        }
    }
}
