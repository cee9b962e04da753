package io.godwit.core.session;

import io.godwit.core.auth.PeerTls;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.queue.ClientQueue;
import io.godwit.core.queue.QueueDrops;
import io.godwit.core.routing.Subscription;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A session as the admin port shows it.
 *
 * @param user name of the client's user, or of the one who made the session; null: anonymous
 * @param tls how the client uses TLS; none while it is not connected
 * @param edge server id of the node that has the client's socket; below 0: this one, or none
 * @param sinceMs epoch milliseconds: connected since, or offline since
 * @param expirySeconds 0 for a transient session
 * @param subscriptionCount how many there are
 * @param subscriptions as many of them as were asked for
 * @param queued QoS 1/2 messages that wait, in memory or on disk
 * @param queuedBytes their bytes
 * @param queuedOnDisk those of them that are not in memory
 * @param oldestAgeMs since the oldest message that waits or is in flight was taken in; 0 = none
 * @param drops what its queue has discarded
 * @param inFlight sent and unacknowledged
 * @param inboundQos2 QoS 2 PUBLISHes of the client whose PUBREL has not come
 * @param groups of the client's user; empty while it is not connected
 * @param keepAliveSeconds 0: none, or it is not connected
 */
public record SessionInfo(
        String clientId,
        boolean connected,
        @Nullable String user,
        ProtocolVersion version,
        String remoteAddress,
        String listener,
        PeerTls tls,
        int edge,
        long sinceMs,
        long expirySeconds,
        int subscriptionCount,
        List<Filter> subscriptions,
        long queued,
        long queuedBytes,
        long queuedOnDisk,
        long oldestAgeMs,
        QueueDrops drops,
        int inFlight,
        int inboundQos2,
        List<String> groups,
        int keepAliveSeconds) {
    /** One subscription. */
    public record Filter(String filter, int qos) {}

    /**
     * The information about a session; called on the owner's thread.
     *
     * @param subscriptionsMax how many of the subscriptions to list at most
     */
    public static SessionInfo of(Session session, int subscriptionsMax) {
        ClientLink to = session.connection();
        ClientQueue queue = session.queueIfMade();
        List<Filter> filters = new ArrayList<>();
        for (Subscription subscription : session.subscriptions().all()) {
            if (filters.size() == subscriptionsMax) {
                break;
            }
            filters.add(new Filter(subscription.filter.toString(), subscription.qos));
        }
        return new SessionInfo(
                session.clientId().toString(),
                to != null,
                to == null ? session.life().ownerName() : to.userName(),
                session.version(),
                to == null ? "" : to.remoteAddress(),
                to == null ? "" : to.listener(),
                to == null ? PeerTls.NONE : to.tls(),
                to == null ? -1 : to.edge(),
                to == null ? session.life().state().offlineSinceMs() : to.connectedAtMs(),
                session.isDurable() ? session.life().expirySeconds() : 0,
                session.subscriptionCount(),
                filters,
                session.waitingCount(),
                queue == null ? 0 : queue.bytes(),
                queue == null ? 0 : queue.onDisk(),
                queue == null ? 0 : queue.oldestAgeMs(),
                queue == null ? QueueDrops.NONE : queue.drops(),
                queue == null ? 0 : queue.inFlightWithRows(),
                session.inboundQos2Count(),
                to == null ? List.of() : to.groups(),
                to == null ? 0 : to.keepAliveSeconds());
    }
}
