package io.godwit.core.session;

import io.godwit.core.packet.ClientId;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Lets tests look at what only a shard may know. */
public final class SessionProbe {
    private SessionProbe() {}

    /** The session that a connection has now. */
    public static @Nullable Session sessionOf(ClientConnection connection) {
        return connection.session();
    }

    public static boolean isConnected(ClientConnection connection) {
        return connection.isConnected();
    }

    public static long queueId(Session session) {
        return session.queueId();
    }

    public static void forEach(SessionShard shard, Consumer<Session> consumer) {
        for (Session s = shard.firstSession(); s != null; s = s.next) {
            consumer.accept(s);
        }
    }

    public static int registered(SessionShard shard) {
        return shard.registrar().size();
    }

    public static @Nullable Session registered(SessionShard shard, ClientId clientId) {
        return shard.registrar().find(clientId);
    }

    public static int idleCount(Session session) {
        return session.idleCount();
    }

    public static long idleBytes(Session session) {
        return session.idleBytes();
    }

    public static int inFlightCount(Session session) {
        return session.inFlightCount();
    }

    public static boolean isOnline(Session session) {
        return session.isOnline();
    }

    public static int subscriptionCount(Session session) {
        return session.subscriptionCount();
    }

    public static boolean isHandedOver(Session session) {
        return session.handOver() != null;
    }

    public static @Nullable ClientConnection connection(Session session) {
        return session.connection();
    }

    /** Subscriptions, filters and groups in the index, all of them. */
    public static int indexed(SessionShard shard) {
        return shard.topicIndex().size()
                + shard.topicIndex().filters()
                + shard.topicIndex().groups();
    }
}
