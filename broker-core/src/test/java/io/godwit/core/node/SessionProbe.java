package io.godwit.core.node;

import io.godwit.core.connection.ClientConnection;
import io.godwit.core.connection.ConnectionProbe;
import io.godwit.core.index.IndexProbe;
import io.godwit.core.packet.ClientId;
import io.godwit.core.publish.Publishing;
import io.godwit.core.queue.ClientQueue;
import io.godwit.core.queue.QueueEntry;
import io.godwit.core.queue.QueueProbe;
import io.godwit.core.session.Session;
import io.godwit.core.session.SessionRoomProbe;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Lets tests look at what only a shard may know. */
public final class SessionProbe {
    private SessionProbe() {}

    /** The session that a connection has now. */
    public static @Nullable Session sessionOf(ClientConnection connection) {
        return ConnectionProbe.session(connection);
    }

    public static boolean isConnected(ClientConnection connection) {
        return connection.isConnected();
    }

    public static long queueId(Session session) {
        return session.queueId();
    }

    public static void forEach(BrokerShard shard, Consumer<Session> consumer) {
        long left = shard.load().sessions() + 1;
        for (Session s : SessionRoomProbe.all(shard.sessions())) {
            if (--left < 0) {
                throw new IllegalStateException("the list of sessions has no end");
            }
            consumer.accept(s);
        }
    }

    /** Adds what waits in groups, as {@code SharedGroup.addTo} has it. */
    public static void addGroups(BrokerShard shard, long[] sum) {
        shard.groups().forEach(group -> group.addTo(sum));
    }

    public static int registered(BrokerShard shard) {
        return shard.registrar().size();
    }

    public static @Nullable Session registered(BrokerShard shard, ClientId clientId) {
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
                    .append(entry.source == null ? "; " : " shared; ");
        }
        return text.toString();
    }

    /**
     * Finds something that could go to the session's client now and that nobody sends: there is
     * none at the end of a turn of its shard.
     *
     * @return empty when there is none
     */
    public static String stalled(Session session) {
        ClientConnection connection = connection(session);
        ClientQueue queue = session.queueIfMade();
        if (connection == null || !connection.isConnected() || !connection.canSend()) {
            return "";
        }
        if (ConnectionProbe.isQos0Stalled(connection)) {
            return "QoS 0 messages";
        }
        String waits = queue == null ? "" : QueueProbe.stalled(queue, connection);
        boolean isReplayStalled =
                waits.isEmpty()
                        && (queue == null || queue.messages() == 0)
                        && session.subscriptionCount() > 0
                        && IndexProbe.isReplayStalled(session.subscriptions());
        return isReplayStalled ? "a replay that nobody asks to go on" : waits;
    }

    public static boolean isOnline(Session session) {
        return session.isOnline();
    }

    public static int subscriptionCount(Session session) {
        return SessionRoomProbe.subscriptions(session);
    }

    public static boolean isHandedOver(Session session) {
        return session.handOver() != null;
    }

    public static @Nullable ClientConnection connection(Session session) {
        return (ClientConnection) session.connection();
    }

    /** Whether it is read, and why not; for a story. */
    public static String reading(ClientConnection connection) {
        Publishing publishing = connection.publishing();
        Session session = ConnectionProbe.session(connection);
        return "reading stopped "
                + ConnectionProbe.isWaiting(connection)
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
                + ConnectionProbe.isAlarm(connection)
                + ", pending "
                + ConnectionProbe.wire(connection).pendingBytes()
                + ", writable "
                + ConnectionProbe.wire(connection).isWritable()
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
    public static int indexed(BrokerShard shard) {
        return shard.node().index().size()
                + shard.node().index().filters()
                + shard.node().index().groups();
    }
}
