package io.godwit.core.session;

import io.godwit.core.auth.PeerTls;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Will;
import io.godwit.core.publish.Publishing;
import io.godwit.core.queue.Outlet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The connection of a session. */
public interface ClientLink extends Outlet {
    /** Bytes of the largest packet that the client takes: its Maximum Packet Size. */
    int packetBytesMax();

    /** Sends, lets wait or drops a QoS 0 message. */
    void sendQos0(Message message, boolean retain, int[] ids);

    /** Ends the connection: its session goes to a newer one, which deals with the will. */
    void takenOver();

    /** Looks again whether the client's socket may be read, since something has changed. */
    void checkReading();

    /** The publishing side of the connection; null while the client has published nothing. */
    @Nullable Publishing publishing();

    /** The will of the connection's CONNECT, or null. */
    @Nullable Will will();

    /** Knows who publishes the will when it is due; null: this node. */
    @Nullable WillKeeper willKeeper();

    /** The client's address for people, such as {@code 127.0.0.1:50412}. */
    String remoteAddress();

    /** The name of the client's user; null: anonymous. */
    @Nullable String userName();

    /** Returns the groups that its authenticator has put the client's user into. */
    List<String> groups();

    /** Returns the keep alive that counts, in seconds; 0: none. */
    int keepAliveSeconds();

    /** Ends the connection with a DISCONNECT (5.0) that says why. */
    void close(ReasonCode reason, String text, boolean publishWill);

    /** Looks again at who the client is and what it may do, since users or rules have changed. */
    void review();

    /** Name of the listener, as in {@code listeners.<name>}. */
    String listener();

    /** Returns how the client uses TLS. */
    PeerTls tls();

    /** Returns the server id of the node that has the client's socket; below 0: this one. */
    int edge();

    /** Bytes that the client has not taken yet; not all that waits for it. */
    long untakenBytes();

    /** Epoch milliseconds at which CONNACK was sent. */
    long connectedAtMs();

    /**
     * Monotonic milliseconds at which its socket was gone: what had come until then may have to
     * wait before it counts. Now while the socket is there.
     */
    long goneAtMs();

    /**
     * Tells the client why the broker, or its part in a cluster, ends, and closes the connection.
     */
    void onShutdown(Goodbye goodbye);
}
