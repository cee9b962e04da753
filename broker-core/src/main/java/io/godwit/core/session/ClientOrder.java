package io.godwit.core.session;

import io.godwit.core.queue.ClientQueue;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** The columns by which sessions can be ordered, named as the admin port shows them. */
public enum ClientOrder {
    QUEUED("queued", Session::waitingCount),
    QUEUED_BYTES("queuedBytes", session -> ofQueue(session, ClientQueue::bytes)),
    QUEUED_ON_DISK("queuedOnDisk", session -> ofQueue(session, ClientQueue::onDisk)),
    IN_FLIGHT("inFlight", session -> ofQueue(session, ClientQueue::inFlightWithRows)),
    OLDEST_AGE("oldestAgeSeconds", session -> ofQueue(session, ClientQueue::oldestAgeMs)),
    SUBSCRIPTIONS("subscriptions", Session::subscriptionCount),
    SINCE("since", ClientOrder::sinceMs);

    private final String column;
    private final ToLongFunction<Session> value;

    ClientOrder(String column, ToLongFunction<Session> value) {
        this.column = column;
        this.value = value;
    }

    /** The name of the column. */
    public String column() {
        return column;
    }

    /** The session's value; on the thread of its shard. */
    public long of(Session session) {
        return value.applyAsLong(session);
    }

    /** The order by a column; empty when there is no such column. */
    public static Optional<ClientOrder> byColumn(String column) {
        return Arrays.stream(values()).filter(each -> each.column.equals(column)).findFirst();
    }

    /** The names of all columns. */
    public static String columns() {
        return Arrays.stream(values()).map(ClientOrder::column).collect(Collectors.joining(", "));
    }

    private static long ofQueue(Session session, ToLongFunction<ClientQueue> value) {
        ClientQueue queue = session.queueIfMade();
        return queue == null ? 0 : value.applyAsLong(queue);
    }

    private static long sinceMs(Session session) {
        ClientLink to = session.connection();
        return to == null ? session.life().state().offlineSinceMs() : to.connectedAtMs();
    }
}
