package io.godwit.server.client;

import io.godwit.core.codec.InboundState;
import io.godwit.core.codec.PacketDecoder;
import io.godwit.core.codec.PacketEncoder;
import io.godwit.core.codec.PacketSink;
import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.codec.Role;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.ReasonCode;
import io.godwit.server.Causes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection to a broker. One thread receives, any thread sends; a thread of its own
 * sends PINGREQ.
 */
final class MqttConnection implements AutoCloseable {
    private static final int ANSWER_TIMEOUT_MS = 10_000;
    private static final int LAST_BYTES_TIMEOUT_MS = 1_000;
    private static final int READ_BYTES = 64 << 10;
    private static final int PACKET_BYTES_MAX = 268_435_460;
    private static final int TOPICS_REMEMBERED = 16;

    private final BrokerChoice.Address address;
    private final ProtocolVersion version;
    private final Socket socket;
    private final InputStream input;
    private final PacketDecoder decoder = new PacketDecoder(Role.CLIENT, TOPICS_REMEMBERED);
    private final InboundState inbound = new InboundState(PACKET_BYTES_MAX);
    private final ByteBuf received = Unpooled.buffer(READ_BYTES);
    private final ArrayDeque<Packet> decoded = new ArrayDeque<>();
    private final PacketSink sink = new Decoded();
    private Packet.ConnAck welcome = new Packet.ConnAck(false, 0, Properties.NONE);
    private volatile long lastReceivedNanos = System.nanoTime();
    private volatile boolean isSilent;

    private MqttConnection(BrokerChoice.Address address, ProtocolVersion version, Socket socket)
            throws IOException {
        this.address = address;
        this.version = version;
        this.socket = socket;
        input = socket.getInputStream();
        inbound.version = version;
    }

    /**
     * Connects, and waits until the broker has accepted the client.
     *
     * @throws ClientFailed with the broker's reason when it refuses
     */
    static MqttConnection open(BrokerChoice.Address address, Packet.Connect connect)
            throws ClientFailed {
        Socket socket = null;
        MqttConnection connection = null;
        boolean isAccepted = false;
        try {
            socket = connected(address);
            if (address.tls() != null) {
                socket = address.tls().wrap(socket, address.host(), address.port());
            }
            connection = new MqttConnection(address, connect.version(), socket);
            connection.greet(connect);
            isAccepted = true;
            return connection;
        } catch (IOException e) {
            throw ClientFailed.temporary("no broker answers at " + address + ": " + Causes.of(e));
        } finally {
            if (!isAccepted && connection != null) connection.close();
            if (!isAccepted && socket != null) close(socket);
        }
    }

    /** Tries each address of the host: localhost may be one of IPv6 that nobody listens on. */
    private static Socket connected(BrokerChoice.Address address) throws IOException {
        IOException first = null;
        for (InetAddress each : InetAddress.getAllByName(address.host())) {
            Socket socket = new Socket();
            try {
                socket.connect(new InetSocketAddress(each, address.port()), ANSWER_TIMEOUT_MS);
                socket.setTcpNoDelay(true);
                socket.setSoTimeout(ANSWER_TIMEOUT_MS);
                return socket;
            } catch (IOException e) {
                close(socket);
                first = first == null ? e : first;
            }
        }
        throw first == null ? new IOException("the host has no address") : first;
    }

    private void greet(Packet.Connect connect) throws IOException, ClientFailed {
        send(connect);
        Packet answer = receive();
        if (!(answer instanceof Packet.ConnAck accepted)) {
            throw ClientFailed.finalOne("what answers at " + address + " is not an MQTT broker");
        }
        if (accepted.code() != 0) throw Reasons.refused(accepted, address.toString(), isV5());
        welcome = accepted;
        socket.setSoTimeout(0);
        long keepAlive =
                accepted.properties()
                        .number(Property.SERVER_KEEP_ALIVE, connect.keepAliveSeconds());
        if (keepAlive > 0) {
            Thread pings = new Thread(() -> ping(keepAlive), "ping");
            pings.setDaemon(true);
            pings.start();
        }
    }

    /** Sends PINGREQ, and gives the connection up when nothing comes back. */
    private void ping(long keepAliveSeconds) {
        long keepAliveNanos = TimeUnit.SECONDS.toNanos(keepAliveSeconds);
        try {
            while (!socket.isClosed()) {
                TimeUnit.NANOSECONDS.sleep(keepAliveNanos / 2);
                if (System.nanoTime() - lastReceivedNanos > keepAliveNanos * 3 / 2) {
                    isSilent = true;
                    abort();
                } else {
                    send(Packet.PingReq.INSTANCE);
                }
            }
        } catch (IOException e) {
            abort(); // who receives sees it
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    boolean isV5() {
        return version.isV5();
    }

    /** The broker's acceptance, with its limits. */
    Packet.ConnAck welcome() {
        return welcome;
    }

    /** Sends a packet. */
    void send(Packet packet) throws IOException {
        ByteBuf out = Unpooled.buffer(PacketEncoder.encodedLength(packet, version));
        PacketEncoder.encode(packet, version, out);
        synchronized (socket) {
            socket.getOutputStream().write(out.array(), out.arrayOffset(), out.readableBytes());
            socket.getOutputStream().flush();
        }
    }

    /**
     * Waits for the next packet.
     *
     * @throws ClientFailed when the connection has ended, with the reason
     */
    Packet receive() throws ClientFailed {
        try {
            while (decoded.isEmpty()) {
                received.discardSomeReadBytes();
                if (received.writeBytes(input, READ_BYTES) < 0) throw ended();
                lastReceivedNanos = System.nanoTime();
                decoder.decode(received, inbound, sink);
            }
        } catch (IOException e) {
            throw ClientFailed.temporary(
                    isSilent
                            ? "the broker at " + address + " does not answer any more"
                            : "the connection to " + address + " is lost: " + Causes.of(e));
        } catch (ProtocolViolation e) {
            throw ClientFailed.finalOne(
                    "what answers at "
                            + address
                            + " does not speak MQTT as expected: "
                            + e.getMessage());
        }
        Packet packet = decoded.remove();
        if (packet instanceof Packet.Disconnect goodbye) throw Reasons.disconnected(goodbye);
        return packet;
    }

    private ClientFailed ended() {
        return ClientFailed.temporary(
                "the broker at "
                        + address
                        + " closed the connection"
                        + (isV5() ? "" : "; with MQTT 5.0 (-V 5) it may say why"));
    }

    /** Says goodbye, and waits a moment until the broker has read everything. */
    void disconnect() {
        try {
            socket.setSoTimeout(LAST_BYTES_TIMEOUT_MS);
            send(new Packet.Disconnect(ReasonCode.SUCCESS, Properties.NONE));
            if (address.tls() == null) socket.shutdownOutput();
        } catch (IOException e) {
            // The broker has closed it already.
        }
    }

    /** Closes the socket at once, so that {@link #receive} ends. */
    void abort() {
        close(socket);
    }

    /** Closes the connection when the broker has, or after a second. */
    @Override
    public void close() {
        close(socket);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is gone either way.
        }
    }

    /** Waits until the broker has closed the connection after {@link #disconnect}. */
    void awaitEnd() {
        try {
            byte[] rest = new byte[READ_BYTES];
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
            while (input.read(rest) >= 0 && System.nanoTime() - deadline < 0) {
                // Late packets are discarded: nobody waits for them.
            }
        } catch (IOException e) {
            // Closed, or too slow.
        }
    }

    /** Gathers what is decoded: packets whose buffers are their own. */
    private final class Decoded implements PacketSink {
        @Override
        public void onPublish(PublishFrame frame) {
            decoded.add(
                    new Packet.Publish(
                            frame.topic,
                            frame.qos,
                            frame.dup,
                            frame.retain,
                            frame.packetId,
                            Properties.NONE,
                            frame.copyPayload()));
        }

        @Override
        public void onAck(PacketType type, int packetId, int reasonCode) {
            @Nullable ReasonCode reason = ReasonCode.of(reasonCode);
            decoded.add(
                    new Packet.Ack(
                            type,
                            packetId,
                            reason == null ? ReasonCode.UNSPECIFIED_ERROR : reason,
                            Properties.NONE));
        }

        @Override
        public void onPacket(Packet packet) {
            decoded.add(packet);
        }

        @Override
        public boolean wantsMore() {
            return true;
        }
    }
}
