package io.godwit.core.simulation;

import io.godwit.core.codec.PublishEncoder;
import io.godwit.core.packet.ProtocolVersion;

/** A message that a client published, or a will: what the checker knows of it. */
final class Published {
    static final long NEVER = Long.MAX_VALUE;

    enum State {
        WAITING,
        SENT,
        RECEIVED,
        DONE
    }

    final int number;
    final SimulatedClient by;

    /** Where it enters. */
    final SimulatedNode node;

    final String topic;
    final int qos;
    final boolean retain;
    final int bytes;
    final boolean isWill;

    /** Message Expiry Interval; 0 = none. */
    int expirySeconds;

    /** Generation of the publisher's session, and number of its connection, when it was sent. */
    long generation;

    int connection;
    int packetId;
    int sends;
    State state = State.WAITING;

    /** Moments. */
    long sentAt = NEVER;

    long ackedAt = NEVER;

    /** Crashes of the broker before. */
    int ackedCrashes;

    /** Start of the broker at which it was sent first. */
    int firstStart;

    /** The start of the broker in which it was sent last. */
    int sentStart;

    /** Whether it was refused, as in an alarm. */
    boolean refused;

    /** When it was sent first, on the schedule's clock. */
    long sentMicros;

    /** How many PUBLISHes the broker had refused when it was sent first, and since then. */
    private long refusedBefore;

    long refusedMeanwhile;

    /** Whether its session ended before it was acknowledged: anything may have become of it. */
    boolean abandoned;

    /** Whether it deletes what is retained on its topic. */
    boolean deletes() {
        return retain && bytes == 0;
    }

    Published(
            int number,
            SimulatedClient by,
            String topic,
            int qos,
            boolean retain,
            int bytes,
            boolean isWill) {
        this.number = number;
        this.by = by;
        this.node = by.node();
        this.topic = topic;
        this.qos = qos;
        this.retain = retain;
        this.bytes = bytes;
        this.isWill = isWill;
    }

    /** Bytes of its PUBLISH as a client of MQTT 5.0 gets it, without a Topic Alias. */
    int packetBytes() {
        return PublishEncoder.length(
                ProtocolVersion.MQTT_5,
                qos,
                topic.length(),
                0,
                expirySeconds == 0 ? -1 : expirySeconds,
                new int[0],
                0,
                bytes);
    }

    /** Whether its expiry interval is over. */
    boolean isExpired(long nowMicros) {
        return expirySeconds > 0
                && sentMicros > 0
                && nowMicros >= sentMicros + expirySeconds * 1_000_000L;
    }

    /** Notes that it is sent, for the first time or again. */
    void sentTo(long refusedSoFar) {
        if (sends++ == 0) {
            refusedBefore = refusedSoFar;
        }
        refusedMeanwhile = refusedSoFar - refusedBefore;
    }

    @Override
    public String toString() {
        return "message "
                + number
                + " by c"
                + by.index
                + " on "
                + topic
                + " at QoS "
                + qos
                + " of "
                + bytes
                + " bytes"
                + (retain ? " retained" : "")
                + (isWill ? " (will)" : "")
                + " sent "
                + sends
                + " times at "
                + sentAt
                + ", acknowledged at "
                + (ackedAt == NEVER ? "never" : ackedAt)
                + (abandoned ? ", abandoned" : "");
    }
}
