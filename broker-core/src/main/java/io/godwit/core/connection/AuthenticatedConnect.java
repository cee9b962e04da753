package io.godwit.core.connection;

import io.godwit.core.codec.ConnectBytes;
import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A CONNECT that was checked and authenticated, with where it came from: all that the node needs
 * that serves the connection. Neither password nor Authentication Data of the client is in it.
 *
 * <pre>
 * connect sized (MQTT, without fixed header) | flags 1 | expiry varint
 *     | authentication data sized, if there is some | address sized | listener sized
 *     | connected at 8, by the sender's clock
 * flags: assigned id 0 | loopback 1 | has authentication data 2
 * </pre>
 *
 * @param connect with the client id that counts, and without what is secret
 * @param assignedId whether the broker has given the client id
 * @param expirySeconds Session Expiry Interval that counts, 0..4 294 967 295
 * @param authenticationData last data of enhanced authentication, for CONNACK; null: none
 * @param address of the client, for people and for limits per address
 * @param loopback whether the client is on the machine of the node that it is connected to
 * @param listener name of the listener that it came in by
 * @param connectedMs when it was authenticated, by the monotonic clock of the node that has this
 *     object
 */
public record AuthenticatedConnect(
        Packet.Connect connect,
        boolean assignedId,
        long expirySeconds,
        byte @Nullable [] authenticationData,
        String address,
        boolean loopback,
        String listener,
        long connectedMs) {
    private static final long EXPIRY_MAX = 0xFFFF_FFFFL;

    private static final int ASSIGNED_ID = 1;
    private static final int LOOPBACK = 1 << 1;
    private static final int HAS_DATA = 1 << 2;

    public ClientId clientId() {
        return connect.clientId();
    }

    /** Whether its session is to outlive the connection. */
    public boolean isDurable() {
        return expirySeconds > 0;
    }

    /** Returns it with the time of its CONNECT by the clock of another node. */
    public AuthenticatedConnect connectedAt(long nodeMs) {
        return new AuthenticatedConnect(
                connect,
                assignedId,
                expirySeconds,
                authenticationData,
                address,
                loopback,
                listener,
                nodeMs);
    }

    /** Appends it for another node. */
    public void write(ByteWriter to) {
        byte[] data = authenticationData;
        to.sized(ConnectBytes.encode(connect))
                .u8(
                        (assignedId ? ASSIGNED_ID : 0)
                                | (loopback ? LOOPBACK : 0)
                                | (data == null ? 0 : HAS_DATA))
                .varint(expirySeconds);
        if (data != null) {
            to.sized(data);
        }
        to.sized(address.getBytes(StandardCharsets.UTF_8))
                .sized(listener.getBytes(StandardCharsets.UTF_8))
                .long8(connectedMs);
    }

    /**
     * Reads what {@link #write} has written.
     *
     * @throws IndexOutOfBoundsException it is none
     */
    public static AuthenticatedConnect read(ByteReader from) {
        Packet.Connect connect = connect(from.sized());
        int flags = from.u8();
        long expirySeconds = from.varint();
        byte[] data = (flags & HAS_DATA) == 0 ? null : from.sized();
        String address = text(from);
        String listener = text(from);
        long connectedMs = from.long8();
        if (flags > (ASSIGNED_ID | LOOPBACK | HAS_DATA)
                || expirySeconds < 0
                || expirySeconds > EXPIRY_MAX
                || connect.clientId().length() == 0
                || connect.password() != null) {
            throw new IndexOutOfBoundsException(
                    "flags " + flags + ", expiry " + expirySeconds + " s of a CONNECT");
        }
        return new AuthenticatedConnect(
                connect,
                (flags & ASSIGNED_ID) != 0,
                expirySeconds,
                data,
                address,
                (flags & LOOPBACK) != 0,
                listener,
                connectedMs);
    }

    private static Packet.Connect connect(byte[] bytes) {
        try {
            return ConnectBytes.decode(bytes);
        } catch (ProtocolViolation violation) {
            throw new IndexOutOfBoundsException("no CONNECT: " + violation.getMessage());
        }
    }

    private static String text(ByteReader from) {
        return new String(from.sized(), StandardCharsets.UTF_8);
    }
}
