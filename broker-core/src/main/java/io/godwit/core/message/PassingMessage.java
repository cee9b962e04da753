package io.godwit.core.message;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;

/**
 * A small message of QoS 0 or 1, not retained, that nobody on this node gets: it is written for
 * other nodes from the very bytes in which it came. Filled anew for each, and valid during one
 * call, as its {@link PublishFrame} is.
 */
public final class PassingMessage {
    /** Bytes of payload, properties and names of the longest: it is kept as it is written. */
    public static final int BYTES_MAX = 900;

    /** Who publishes. */
    public final ClientId publisher;

    /** Ingress id: the server where it enters the cluster. */
    public final int ingressServer;

    /** Ingress id: the counter of that server. */
    public long ingressCounter;

    public Topic topic;
    public PublishFrame frame;

    /** See {@link Message#expiresAtMs}. */
    public long expiresAtMs;

    public PassingMessage(ClientId publisher, int ingressServer, Topic topic, PublishFrame frame) {
        this.publisher = publisher;
        this.ingressServer = ingressServer;
        this.topic = topic;
        this.frame = frame;
    }

    /** Whether what came in may be one, if nobody here gets it. */
    public static boolean mayBe(PublishFrame frame, Topic topic, ClientId publisher) {
        return frame.qos < 2
                && frame.copiedPayload == null
                && !frame.retain
                && bytes(frame, topic, publisher) <= BYTES_MAX;
    }

    /** Bytes of payload, properties and names. */
    public int bytes() {
        return bytes(frame, topic, publisher);
    }

    private static int bytes(PublishFrame frame, Topic topic, ClientId publisher) {
        return frame.payloadLength
                + frame.forwardedProperties.length
                + topic.length()
                + publisher.bytes().length;
    }
}
