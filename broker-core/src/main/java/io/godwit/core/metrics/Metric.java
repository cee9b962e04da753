package io.godwit.core.metrics;

/** Everything that is counted on a shard; the metrics page is made from this list. */
public enum Metric {
    PACKETS_RECEIVED("packets.received", "Control packets decoded.", true),
    PUBLISH_RECEIVED("publish.received", "PUBLISH packets accepted from clients.", true),
    PUBLISH_SENT("publish.sent", "PUBLISH packets written to clients.", true),
    BYTES_RECEIVED("bytes.received", "Bytes read from sockets.", true),
    BYTES_SENT("bytes.sent", "Bytes written to sockets.", true),
    CONNECTS("connects", "CONNECT packets answered with success.", true),
    CONNECTS_REFUSED("connects.refused", "CONNECT packets refused.", true),
    CONNECTS_PACED(
            "connects.paced",
            "CONNECT packets that waited for their turn because many came at one moment.",
            false),
    CONNECTIONS_CLOSED("connections.closed", "Connections that have ended.", true),
    PROTOCOL_VIOLATIONS(
            "protocol.violations",
            "Connections closed because the client violated the protocol.",
            true),
    CLOSED_OUTBOUND(
            "closed.outbound",
            "Connections closed because what they did not read took most of"
                    + " overload.outbound-bytes.",
            true),
    CLOSED_MEMORY(
            "closed.memory",
            "Connections closed because there was no memory for what they sent.",
            true),
    CLOSED_ADMIN(
            "closed.admin",
            "Connections closed by an administrator: godwit kick, or DELETE /clients/{id}.",
            true),
    CLOSED_STUCK(
            "closed.stuck",
            "Connections closed while memory was short, because nothing was acknowledged"
                    + " for overload.stuck-time.",
            false),
    SUBSCRIBERS_BEHIND(
            "subscribers.behind",
            "Times that a transient subscriber was found behind, with half of what may wait for it:"
                    + " clients that publish to no other subscriber wait.",
            false),
    SUBSCRIBERS_TOO_SLOW(
            "subscribers.too.slow",
            "Times that publishers stopped waiting for a transient subscriber that was behind,"
                    + " because it took too little.",
            false),
    KEEP_ALIVE_TIMEOUTS(
            "keepalive.timeouts",
            "Connections closed because nothing was received for 1.5 times the keep" + " alive.",
            true),
    CONNECT_TIMEOUTS(
            "connect.timeouts",
            "Connections closed because no complete CONNECT arrived in time.",
            false),
    TAKEOVERS("session.takeovers", "Sessions taken over by a newer connection.", true),
    SESSIONS_CREATED("session.started", "Sessions that began with a CONNECT.", true),
    SESSIONS_ENDED("session.ended", "Sessions that have ended, expired ones included.", false),
    SESSIONS_EXPIRED("session.expired", "Sessions that have expired.", false),
    SESSIONS_SET_ASIDE(
            "session.aside",
            "Sessions that are set aside, since the start or before: they stay in the store, and are"
                    + " not served.",
            false),
    GRANTED_BY_STAND_IN(
            "cluster.stand.in.granted",
            "Connections that this node has granted in the place of a node that is out of reach:"
                    + " transient ones with Clean Start.",
            false),
    SESSIONS_HANDED_OVER("session.handed.over", "Sessions moved to another shard.", false),
    SUBSCRIBES("subscribes", "Subscriptions granted.", true),
    SUBSCRIBES_REFUSED("subscribes.refused", "Subscriptions refused.", true),
    UNSUBSCRIBES("unsubscribes", "Subscriptions removed by UNSUBSCRIBE.", true),
    WILLS_PUBLISHED("wills.published", "Will messages published.", true),
    DROPPED_QOS0_SLOW(
            "dropped.qos0.slow", "QoS 0 messages dropped: the subscriber reads too slowly.", true),
    DROPPED_QOS0_OFFLINE(
            "dropped.qos0.offline",
            "QoS 0 messages dropped: the client, or every member of the shared"
                    + " subscription, is offline.",
            true),
    DROPPED_QOS0_NODE(
            "dropped.qos0.node",
            "QoS 0 messages dropped: a node that has subscribers is out of reach or too" + " slow.",
            false),
    DROPPED_NODE_FORGOTTEN(
            "dropped.node.forgotten",
            "QoS 1/2 messages dropped: they waited for a node that was forgotten.",
            false),
    DROPPED_NODE_TRANSIENT(
            "dropped.node.transient",
            "QoS 1/2 messages dropped: a node is out of reach that has only subscribers whose"
                    + " sessions end with it.",
            false),
    DROPPED_QOS0_ALARM(
            "dropped.qos0.alarm",
            "QoS 0 messages dropped during an alarm: no more can be parked, or their client had"
                    + " gone.",
            true),
    UNREAD_ALARM(
            "unread.alarm",
            "QoS 1/2 messages not taken during an alarm, and not acknowledged: their client had"
                    + " gone.",
            true),
    REFUSED_ALARM(
            "refused.alarm",
            "QoS 1/2 messages refused during an alarm: no more can be parked.",
            true),
    REFUSED_NODE_AWAY(
            "refused.node.away",
            "QoS 1/2 messages refused: a node that has subscribers is out of reach.",
            false),
    DROPPED_QUEUE_FULL(
            "dropped.queue.full", "QoS 1/2 messages discarded: the queue is full.", true),
    DROPPED_EXPIRED("dropped.expired", "Messages dropped: their expiry interval had passed.", true),
    DROPPED_TOO_LARGE(
            "dropped.too.large", "Messages dropped: above the client's Maximum Packet Size.", true),
    DROPPED_SESSION_GONE(
            "dropped.session.gone", "Messages dropped: the session ended before delivery.", false),
    DROPPED_GROUP_FULL(
            "dropped.group.full", "Messages discarded: the shared group's queue is full.", false),
    DROPPED_RETAINED_LIMIT(
            "dropped.retained.limit",
            "Messages not retained: limits.retained-messages or limits.retained-bytes is"
                    + " reached.",
            false),
    INGRESS_FORGOTTEN(
            "ingress.forgotten",
            "QoS 2 messages that a queue no longer remembers, because it had too many:"
                    + " after a crash a repeated one is not recognised.",
            false),
    NO_MATCH("publish.unmatched", "PUBLISH packets without a matching subscription.", true),
    READS_PAUSED("reads.paused", "Times that reading from a publisher's socket was paused.", true),
    REFUSED_CONNECTIONS_LIMIT(
            "refused.connections.limit",
            "Connections refused: limits.connections or the limit on open files is" + " reached.",
            false),
    REFUSED_SESSIONS(
            "refused.sessions",
            "CONNECT packets refused: limits.session-bytes, sessions-per-user or"
                    + " sessions-per-address.",
            false),
    REFUSED_CONNECTIONS_SHARE(
            "refused.connections.share",
            "CONNECT packets refused: limits.connections-per-user or connections-per-address.",
            false),
    FILTERS_REVOKED(
            "subscriptions.revoked",
            "Subscriptions removed since the rules do not allow them any more.",
            false),
    READS_PAUSED_RATE(
            "reads.paused.rate",
            "Times that reading from a publisher's socket was paused for limits.publish-rate or"
                    + " publish-bytes.",
            false),
    REFUSED_WILLS(
            "refused.wills",
            "CONNECT packets refused: the will is larger than limits.will-bytes, or too"
                    + " many earlier wills are still being published.",
            false),
    REFUSED_DISK_ALARM(
            "refused.disk.alarm",
            "CONNECT packets and filters of SUBSCRIBE packets refused during a disk alarm: what new"
                    + " sessions, subscriptions and Wills may write is used up.",
            false),
    REFUSED_CONNECT_RATE(
            "refused.connect.rate",
            "Connections refused: limits.connect-rate, or that of a listener.",
            false),
    REFUSED_PARTIAL_BYTES(
            "refused.partial.bytes", "Connections closed: limits.partial-bytes is reached.", false),
    HANDSHAKES_FAILED(
            "handshakes.failed", "Connections whose TLS or WebSocket handshake failed.", false),
    CLIENTS_MALFORMED(
            "clients.rejected.malformed.packet",
            "Connections refused or closed: a malformed packet.",
            false),
    CLIENTS_PROTOCOL_ERROR(
            "clients.rejected.protocol.error",
            "Connections refused or closed: a packet that the protocol does not allow there.",
            false),
    CLIENTS_NOT_MQTT(
            "clients.rejected.not.mqtt",
            "Connections refused or closed: first bytes that are no CONNECT.",
            false),
    CLIENTS_PROTOCOL_VERSION(
            "clients.rejected.protocol.version",
            "Connections refused or closed: an unknown protocol name or version.",
            false),
    CLIENTS_CLIENT_ID(
            "clients.rejected.client.id", "Connections refused or closed: the client id.", false),
    CLIENTS_NOT_AUTHORIZED(
            "clients.rejected.not.authorized",
            "Connections refused or closed: authentication.",
            false),
    CLIENTS_TOPIC(
            "clients.rejected.topic",
            "Connections refused or closed: a topic that is not allowed.",
            false),
    CLIENTS_LIMIT("clients.rejected.limit", "Connections refused or closed: a limit.", false),
    CLIENTS_NOT_OFFERED(
            "clients.rejected.not.offered",
            "Connections refused or closed: something that CONNACK did not offer.",
            false),
    CLIENTS_UNAVAILABLE(
            "clients.rejected.unavailable",
            "Connections refused or closed: the broker or the session's node being unavailable.",
            false),
    CLIENTS_KEEP_ALIVE(
            "clients.rejected.keep.alive",
            "Connections refused or closed: silence beyond the keep alive.",
            false),
    CLIENTS_TLS(
            "clients.rejected.tls",
            "Connections refused or closed: a failed TLS handshake.",
            false),
    CLIENTS_WEBSOCKET(
            "clients.rejected.websocket",
            "Connections refused or closed: a refused WebSocket handshake.",
            false),
    CLIENTS_PROXY(
            "clients.rejected.proxy",
            "Connections refused or closed: no trusted proxy, or no valid PROXY header.",
            false),
    CLIENTS_OTHER("clients.rejected.other", "Connections refused or closed: other causes.", false),
    FAULTS("faults", "Connections closed because of an internal error.", false),
    CLOCK_JUMPS("clock.jumps", "Jumps of the machine's wall clock.", false),
    STORE_FAILURES("store.failures", "Commits that the store could not write.", false),
    STORE_READ_FAILURES(
            "store.read.failures", "Pages of a queue's rows that could not be read.", false),
    REFUSED_PROXY(
            "refused.proxy",
            "Connections refused: a listener with proxy-protocol was reached by who is not in"
                    + " trusted-proxies, or without a valid PROXY header.",
            false),
    CLOSED_REVOKED(
            "closed.revoked",
            "Connections closed because their client's certificate was revoked meanwhile.",
            false),
    DROPPED_EXTENSION(
            "dropped.extension",
            "Messages dropped: an extension has dropped them or kept them from a client, or, at QoS"
                    + " 0, has refused them or given no answer.",
            true),
    DROPPED_REMOVED(
            "dropped.removed",
            "Messages dropped: an extension has removed them from a queue.",
            true);

    private final String metricName;
    private final String meaning;
    private final boolean perProtocol;

    Metric(String metricName, String meaning, boolean perProtocol) {
        this.metricName = metricName;
        this.meaning = meaning;
        this.perProtocol = perProtocol;
    }

    /** The metric's dotted name without the {@code godwit.} prefix. */
    public String metricName() {
        return metricName;
    }

    public String meaning() {
        return meaning;
    }

    /** Whether the metric carries the tag {@code protocol}. */
    public boolean perProtocol() {
        return perProtocol;
    }
}
