package io.godwit.core.session;

import io.godwit.core.packet.ClientId;
import io.godwit.core.queue.QueueEntry;
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
        long left = shard.load().sessions() + 1;
        for (Session s = shard.sessions().first(); s != null; s = s.next) {
            if (--left < 0) {
                throw new IllegalStateException("the list of sessions has no end");
            }
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
        return session.queueIfMade() == null ? 0 : session.queueIfMade().inMemory();
    }

    public static long idleBytes(Session session) {
        return session.queueIfMade() == null ? 0 : session.queueIfMade().memoryBytes();
    }

    public static long keptMessages(Session session) {
        return session.queueIfMade() == null ? 0 : session.queueIfMade().keptMessages();
    }

    public static long keptBytes(Session session) {
        return session.queueIfMade() == null ? 0 : session.queueIfMade().keptBytes();
    }

    public static int inFlightCount(Session session) {
        return session.inFlightCount();
    }

    /** What is in flight; for a story. */
    public static String inFlight(Session session) {
        StringBuilder text = new StringBuilder();
        if (session.queueIfMade() == null) {
            return "";
        }
        for (QueueEntry entry : session.queueIfMade().inFlightEntries()) {
            text.append("id ")
                    .append(entry.packetId)
                    .append(" QoS ")
                    .append(entry.qos)
                    .append(" state ")
                    .append(entry.state)
                    .append(entry.ticket == null ? "; " : " shared; ");
        }
        return text.toString();
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

    /** Whether it is read, and why not; for a story. */
    public static String reading(ClientConnection connection) {
        Publishing publishing = connection.publishing();
        Session session = connection.session();
        return "reading stopped "
                + connection.isWaiting()
                + ", wants more "
                + connection.wantsMore()
                + (publishing == null
                        ? ""
                        : ", idle "
                                + publishing.isIdle()
                                + ", paused "
                                + publishing.isPaused()
                                + ", must wait "
                                + publishing.mustWait())
                + ", alarm "
                + connection.shard.load().isAlarm()
                + ", pending "
                + connection.wire.pendingBytes()
                + ", writable "
                + connection.wire.isWritable()
                + (session == null
                        ? ", no session"
                        : ", idle "
                                + idleCount(session)
                                + ", in flight "
                                + session.inFlightCount()
                                + " of "
                                + connection.inFlightMax());
    }

    /** Subscriptions, filters and groups in the index, all of them. */
    public static int indexed(SessionShard shard) {
        return shard.topicIndex().size()
                + shard.topicIndex().filters()
                + shard.topicIndex().groups();
    }
}
