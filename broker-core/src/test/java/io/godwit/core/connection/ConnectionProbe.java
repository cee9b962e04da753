package io.godwit.core.connection;

import io.godwit.core.session.Session;
import org.jspecify.annotations.Nullable;

/** What tests ask of a connection. */
public final class ConnectionProbe {
    private ConnectionProbe() {}

    public static @Nullable Session session(ClientConnection connection) {
        return connection.session();
    }

    public static boolean isWaiting(ClientConnection connection) {
        return connection.isWaiting();
    }

    public static boolean isAlarm(ClientConnection connection) {
        return connection.context.load().isAlarm();
    }

    public static Wire wire(ClientConnection connection) {
        return connection.wire;
    }

    /** Whether QoS 0 messages wait, though the channel takes them. */
    public static boolean isQos0Stalled(ClientConnection connection) {
        WaitingQos0 waiting = connection.waitingQos0;
        return connection.canSend() && waiting != null && waiting.size() > 0;
    }

    public static long waitingAnswerBytes(ClientConnection connection) {
        return connection.waitingAnswerBytes();
    }
}
