package io.godwit.core.session;

import io.godwit.core.packet.ProtocolVersion;
import java.util.List;

/**
 * A session as the admin port shows it.
 *
 * @param sinceMs epoch milliseconds: connected since, or offline since
 * @param expirySeconds 0 for a transient session
 * @param subscriptionCount how many there are
 * @param subscriptions as many of them as were asked for
 * @param queued QoS 1/2 messages that wait, in memory or on disk
 * @param queuedBytes their bytes
 * @param queuedOnDisk those of them that are not in memory
 * @param oldestAgeMs since the oldest message that waits or is in flight was taken in; 0 = none
 * @param discards of its queue
 * @param inFlight sent and unacknowledged
 * @param inboundQos2 QoS 2 PUBLISHes of the client whose PUBREL has not come
 */
public record SessionInfo(
        String clientId,
        boolean connected,
        ProtocolVersion version,
        String remoteAddress,
        String listener,
        long sinceMs,
        long expirySeconds,
        int subscriptionCount,
        List<Filter> subscriptions,
        long queued,
        long queuedBytes,
        long queuedOnDisk,
        long oldestAgeMs,
        Discards discards,
        int inFlight,
        int inboundQos2) {
    /** One subscription. */
    public record Filter(String filter, int qos) {}
}
