package io.godwit.chaos;

import io.godwit.core.packet.ProtocolVersion;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Stands between a client and the broker, hands packets on whole, and keeps what a QoS 2 exchange
 * is made of. Written before it is handed on: what one side got stands here.
 */
final class PacketRecord implements AutoCloseable {
    private static final int PUBLISH = 3;
    private static final int PUBREC = 5;
    private static final int PUBCOMP = 7;

    /** The packets of a QoS 2 exchange. */
    enum Kind {
        PUBLISH,
        PUBREC,
        PUBREL,
        PUBCOMP
    }

    /**
     * A packet that was on its way.
     *
     * @param fromBroker else from the client
     * @param number what a PUBLISH carries; -1 for the others
     */
    record Seen(boolean fromBroker, Kind kind, int packetId, boolean dup, int number) {}

    private final ServerSocket server;
    private final ProtocolVersion version;
    private final List<Seen> seen = new ArrayList<>();

    /** The broker's port; 0 while there is none. */
    private volatile int port;

    PacketRecord(ProtocolVersion version) {
        this.version = version;
        try {
            server = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** A broker is there: another port after each start. */
    void brokerIs(int listener) {
        port = listener;
    }

    /** So far, in the order of the wire in each direction. */
    List<Seen> seen() {
        synchronized (seen) {
            return List.copyOf(seen);
        }
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                try {
                    Socket broker = new Socket(InetAddress.getLoopbackAddress(), port);
                    client.setTcpNoDelay(true);
                    broker.setTcpNoDelay(true);
                    Thread.ofVirtual().start(() -> pump(client, broker, false));
                    Thread.ofVirtual().start(() -> pump(broker, client, true));
                } catch (IOException noBroker) {
                    client.close();
                }
            } catch (IOException closed) {
                // The loop looks whether that was the server socket.
            }
        }
    }

    private void pump(Socket from, Socket to, boolean fromBroker) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] packet;
            while ((packet = read(in)) != null) {
                keep(packet, fromBroker);
                out.write(packet);
            }
        } catch (IOException cut) {
            // Closing both is all there is to do.
        }
    }

    private static byte[] read(InputStream in) throws IOException {
        ByteArrayOutputStream packet = new ByteArrayOutputStream();
        packet.write(next(in));
        int length = 0;
        int shift = 0;
        int digit;
        do {
            digit = next(in);
            packet.write(digit);
            length |= (digit & 127) << shift;
            shift += 7;
        } while (digit > 127);
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException();
        }
        packet.write(body);
        return packet.toByteArray();
    }

    private static int next(InputStream in) throws IOException {
        int value = in.read();
        if (value < 0) {
            throw new EOFException();
        }
        return value;
    }

    private void keep(byte[] packet, boolean fromBroker) {
        int type = (packet[0] & 0xFF) >> 4;
        int at = 1;
        while (packet[at++] < 0) {
            // The length's digits but for the last have their highest bit set.
        }
        if (type == PUBLISH && (packet[0] >> 1 & 3) == 2) {
            at += 2 + number(packet, at);
            int packetId = number(packet, at);
            at += 2;
            if (version == ProtocolVersion.MQTT_5) {
                at += 1 + packet[at]; // Its properties are short here.
            }
            String payload = new String(packet, at, packet.length - at, StandardCharsets.US_ASCII);
            add(
                    new Seen(
                            fromBroker,
                            Kind.PUBLISH,
                            packetId,
                            (packet[0] & 8) != 0,
                            Integer.parseInt(payload)));
        } else if (type >= PUBREC && type <= PUBCOMP) {
            Kind kind = Kind.values()[1 + type - PUBREC];
            add(new Seen(fromBroker, kind, number(packet, at), false, -1));
        }
    }

    private static int number(byte[] packet, int at) {
        return (packet[at] & 0xFF) << 8 | packet[at + 1] & 0xFF;
    }

    private void add(Seen each) {
        synchronized (seen) {
            seen.add(each);
        }
    }
}
