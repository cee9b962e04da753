package io.godwit.core.connection;

import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.PeerTls;
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
 *     | certificate's name sized, TLS version sized, server name sized, if there is one each
 *     | identity, if it is not anonymous | connected at 8, by the sender's clock
 * flags: assigned id 0 | loopback 1 | has authentication data 2 | has a certificate 3
 *     | has a certificate's name 4 | has an identity 5 | has a TLS version 6
 *     | has a server name 7
 * </pre>
 *
 * @param connect with the client id that counts, and without what is secret
 * @param assignedId whether the broker has given the client id
 * @param expirySeconds Session Expiry Interval that counts, 0..4 294 967 295
 * @param authenticationData last data of enhanced authentication, for CONNACK; null: none
 * @param peer where the client comes from, as the node sees it that it is connected to
 * @param identity who it is
 * @param connectedMs when it was authenticated, by the monotonic clock of the node that has this
 *     object
 */
public record AuthenticatedConnect(
        Packet.Connect connect,
        boolean assignedId,
        long expirySeconds,
        byte @Nullable [] authenticationData,
        Peer peer,
        Identity identity,
        long connectedMs) {
    private static final long EXPIRY_MAX = 0xFFFF_FFFFL;

    private static final int ASSIGNED_ID = 1;
    private static final int LOOPBACK = 1 << 1;
    private static final int HAS_DATA = 1 << 2;
    private static final int HAS_CERTIFICATE = 1 << 3;
    private static final int HAS_CERTIFICATE_NAME = 1 << 4;
    private static final int HAS_IDENTITY = 1 << 5;
    private static final int HAS_TLS_VERSION = 1 << 6;
    private static final int HAS_SERVER_NAME = 1 << 7;

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
                connect, assignedId, expirySeconds, authenticationData, peer, identity, nodeMs);
    }

    /** Appends it for another node. */
    public void write(ByteWriter to) {
        byte[] data = authenticationData;
        PeerTls tls = peer.tls();
        boolean isKnown = !identity.equals(Identity.ANONYMOUS);
        to.sized(ConnectBytes.encode(connect))
                .u8(
                        (assignedId ? ASSIGNED_ID : 0)
                                | (peer.loopback() ? LOOPBACK : 0)
                                | (data == null ? 0 : HAS_DATA)
                                | (tls.hasCertificate() ? HAS_CERTIFICATE : 0)
                                | has(tls.certificateName(), HAS_CERTIFICATE_NAME)
                                | has(tls.version(), HAS_TLS_VERSION)
                                | has(tls.serverName(), HAS_SERVER_NAME)
                                | (isKnown ? HAS_IDENTITY : 0))
                .varint(expirySeconds);
        if (data != null) {
            to.sized(data);
        }
        text(peer.remoteAddress(), to);
        text(peer.listener(), to);
        text(tls.certificateName(), to);
        text(tls.version(), to);
        text(tls.serverName(), to);
        if (isKnown) {
            IdentityBytes.write(identity, to);
        }
        to.long8(connectedMs);
    }

    private static int has(@Nullable String text, int flag) {
        return text == null ? 0 : flag;
    }

    /** Appends a text that is there. */
    private static void text(@Nullable String text, ByteWriter to) {
        if (text != null) {
            to.sized(text.getBytes(StandardCharsets.UTF_8));
        }
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
        String certificateName = (flags & HAS_CERTIFICATE_NAME) == 0 ? null : text(from);
        String tlsVersion = (flags & HAS_TLS_VERSION) == 0 ? null : text(from);
        String serverName = (flags & HAS_SERVER_NAME) == 0 ? null : text(from);
        PeerTls tls =
                PeerTls.of(tlsVersion, serverName, (flags & HAS_CERTIFICATE) != 0, certificateName);
        Peer peer = new Peer(address, (flags & LOOPBACK) != 0, listener, tls);
        Identity identity =
                (flags & HAS_IDENTITY) == 0 ? Identity.ANONYMOUS : IdentityBytes.read(from);
        long connectedMs = from.long8();
        if (expirySeconds < 0
                || expirySeconds > EXPIRY_MAX
                || connect.clientId().length() == 0
                || connect.password() != null) {
            throw new IndexOutOfBoundsException("expiry " + expirySeconds + " s of a CONNECT");
        }
        return new AuthenticatedConnect(
                connect,
                (flags & ASSIGNED_ID) != 0,
                expirySeconds,
                data,
                peer,
                identity,
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
