package io.godwit.server.client;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one publisher on their way to acknowledgements. The caller's thread publishes; a
 * thread of its own receives what the broker answers.
 */
final class Outgoing {
    private static final int WINDOW_MAX = 500;
    private static final int PACKET_IDS = 65_535;

    /** Given back when the connection ends, so that nobody waits for ever. */
    private static final int ALL_AND_MORE = Integer.MAX_VALUE / 2;

    private final MqttConnection connection;
    private final Semaphore window;
    private final int windowSize;
    private final Set<Integer> inFlight = ConcurrentHashMap.newKeySet();
    private volatile @Nullable ClientFailed end;
    private volatile @Nullable String refusal;
    private volatile long refused;
    private int lastPacketId;

    Outgoing(MqttConnection connection) {
        this.connection = connection;
        windowSize =
                (int)
                        Math.min(
                                WINDOW_MAX,
                                connection
                                        .welcome()
                                        .properties()
                                        .number(Property.RECEIVE_MAXIMUM, PACKET_IDS));
        window = new Semaphore(windowSize);
        Thread answers = new Thread(this::receive, "answers");
        answers.setDaemon(true);
        answers.start();
    }

    /** Sends a message; waits when too many are in flight. */
    void publish(Topic topic, int qos, boolean retain, byte[] payload) throws ClientFailed {
        int packetId = 0;
        if (qos > 0) {
            window.acquireUninterruptibly();
            packetId = nextPacketId();
            inFlight.add(packetId);
        }
        ClientFailed ended = end;
        if (ended != null) throw ended;
        try {
            connection.send(
                    new Packet.Publish(
                            topic, qos, false, retain, packetId, Properties.NONE, payload));
        } catch (IOException e) {
            throw reasonOfEnd();
        }
    }

    /**
     * The broker's DISCONNECT says more than the failed write: the receiver may be about to see it.
     */
    private ClientFailed reasonOfEnd() {
        window.acquireUninterruptibly(windowSize + 1);
        ClientFailed ended = end;
        return ended == null ? ClientFailed.temporary("the connection is lost") : ended;
    }

    /**
     * Waits until every message is acknowledged.
     *
     * @throws ClientFailed when the connection ended before
     */
    void awaitAcknowledgements() throws ClientFailed {
        window.acquireUninterruptibly(windowSize);
        ClientFailed ended = end;
        if (!inFlight.isEmpty() && ended != null) {
            throw ClientFailed.temporary(
                    ended.getMessage()
                            + "; "
                            + inFlight.size()
                            + (inFlight.size() == 1 ? " message is" : " messages are")
                            + " not acknowledged");
        }
    }

    /** How the broker refused the first message that it refused; null = none. */
    @Nullable String refusal() {
        return refusal;
    }

    /** The number of messages that the broker refused. */
    long refused() {
        return refused;
    }

    private int nextPacketId() {
        do {
            lastPacketId = lastPacketId % PACKET_IDS + 1;
        } while (inFlight.contains(lastPacketId));
        return lastPacketId;
    }

    private void receive() {
        try {
            while (true) {
                if (connection.receive() instanceof Packet.Ack ack) onAck(ack);
            }
        } catch (ClientFailed e) {
            end = e;
        } catch (IOException e) {
            end = ClientFailed.temporary("the connection is lost");
        } finally {
            window.release(ALL_AND_MORE);
        }
    }

    private void onAck(Packet.Ack ack) throws IOException {
        boolean isReceived = ack.type() == PacketType.PUBREC && !ack.reason().isError();
        if (isReceived) {
            connection.send(
                    new Packet.Ack(
                            PacketType.PUBREL,
                            ack.packetId(),
                            ReasonCode.SUCCESS,
                            Properties.NONE));
        } else if (inFlight.remove(ack.packetId())) {
            if (ack.reason().isError()) refuse(ack.reason());
            window.release();
        }
    }

    /** On the receiving thread alone. */
    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    private void refuse(ReasonCode reason) {
        if (refusal == null) refusal = Reasons.name(reason.code());
        refused = refused + 1;
    }
}
