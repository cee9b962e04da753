package io.godwit.core.connection;

import io.godwit.core.auth.Access;
import io.godwit.core.auth.ClientSettings;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.PeerTls;
import io.godwit.core.auth.Subject;
import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Will;
import io.godwit.core.publish.Publishing;
import io.godwit.core.queue.ClientQueue;
import io.godwit.core.queue.Delivery;
import io.godwit.core.session.ClientLink;
import io.godwit.core.session.ClientQuotas;
import io.godwit.core.session.Session;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a connection is at the moment, for those who ask it: its state, the session that is its own,
 * and what its CONNECT has said. {@link ConnectionLife} changes it.
 */
abstract class ConnectionState extends Intake implements ClientLink {
    enum State {
        AWAIT_CONNECT,
        CONNECTING,
        CONNECTED,
        CLOSED
    }

    State state = State.AWAIT_CONNECT;

    /** Its own since it was granted the client id; null before that and after the end. */
    @Nullable Session session;

    /** Null while the client has published nothing. */
    @Nullable Publishing publishing;

    @Nullable Will will;

    /** Says what the client may do; it is not asked before the client is authenticated. */
    Access access = Access.OPEN;

    /** Says who the client is, and until when; null: anonymous where there are no rules. */
    @Nullable KnownClient known;

    /** Holds the user and address that the connection counts for; null before it counts. */
    ClientQuotas.@Nullable Share share;

    long connectedAtMs;
    int keepAliveMs;
    int inFlightMax;

    ConnectionState(ConnectionContext context, Wire wire) {
        super(context, wire);
    }

    @Override
    public boolean isConnected() {
        return state == State.CONNECTED;
    }

    @Override
    public boolean isClosed() {
        return state == State.CLOSED;
    }

    @Nullable Session session() {
        return session;
    }

    @Override
    public final @Nullable Delivery delivery() {
        Session mine = session;
        ClientQueue queue = mine == null ? null : mine.queueIfMade();
        return queue == null ? null : queue.delivery();
    }

    @Override
    public @Nullable Publishing publishing() {
        return publishing;
    }

    @Override
    public @Nullable Will will() {
        return will;
    }

    @Override
    public int packetBytesMax() {
        return packetBytesMaxOut;
    }

    @Override
    public int inFlightMax() {
        return inFlightMax;
    }

    @Override
    public long connectedAtMs() {
        return connectedAtMs;
    }

    @Override
    public String remoteAddress() {
        return wire.remoteAddress();
    }

    @Override
    public String listener() {
        return wire.listener();
    }

    @Override
    public PeerTls tls() {
        return wire.tls();
    }

    @Override
    public int edge() {
        return wire.edge();
    }

    /** Returns who the client is, who was not asked for before if nobody wanted to know. */
    @Override
    public Subject subject() {
        KnownClient client = known;
        if (client == null) {
            client =
                    new KnownClient(
                            new Subject(connectedSession().clientId(), Identity.ANONYMOUS, peer()),
                            Long.MAX_VALUE);
            known = client;
        }
        return client.subject();
    }

    /** Returns where the client comes from. */
    final Peer peer() {
        return new Peer(remoteAddress(), wire.isLoopback(), listener(), wire.tls());
    }

    public Access access() {
        return access;
    }

    /** Returns the limits that were granted to the client in place of the node's. */
    public ClientSettings settings() {
        return known == null ? ClientSettings.NODE : known.subject().identity().settings();
    }

    @Override
    public List<String> groups() {
        return known == null ? List.of() : known.subject().identity().groups();
    }

    @Override
    public int keepAliveSeconds() {
        return keepAliveMs / 1000;
    }

    @Override
    public @Nullable String userName() {
        return known == null ? null : known.subject().identity().userName();
    }

    @Override
    public ProtocolVersion version() {
        return version;
    }

    /** The session of a packet that may come only once CONNACK is out. */
    final Session connectedSession() {
        Session mine = session;
        if (mine == null || state != State.CONNECTED) {
            throw new ProtocolViolation(ReasonCode.PROTOCOL_ERROR, "packet before CONNACK");
        }
        return mine;
    }
}
