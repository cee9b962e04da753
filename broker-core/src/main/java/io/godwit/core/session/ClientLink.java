package io.godwit.core.session;

import io.godwit.core.message.Message;
import io.godwit.core.packet.Will;
import io.godwit.core.publish.Publishing;
import io.godwit.core.queue.Outlet;
import org.jspecify.annotations.Nullable;

/** The connection of a session. */
public interface ClientLink extends Outlet {
    /** Sends, lets wait or drops a QoS 0 message. */
    void sendQos0(Message message, boolean retain, int[] ids);

    /** The session goes to a newer connection, which deals with the will. */
    void takenOver();

    /** Something has changed for which the client is read, or is not. */
    void checkReading();

    /** Null while the client has published nothing. */
    @Nullable Publishing publishing();

    /** The will of its CONNECT. */
    @Nullable Will will();

    /** For people, such as {@code 127.0.0.1:50412}. */
    String remoteAddress();

    /** Name of the listener, as in {@code listeners.<name>}. */
    String listener();

    /** Bytes that the client has not taken yet; not all that waits for it. */
    long untakenBytes();

    /** Epoch milliseconds of its CONNACK. */
    long connectedAtMs();

    /** The broker stops: the client is told, and the connection closed. */
    void onShutdown();
}
