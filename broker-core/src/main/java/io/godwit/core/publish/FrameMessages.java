package io.godwit.core.publish;

import io.godwit.core.codec.NoMemoryForPacket;
import io.godwit.core.message.Message;
import io.godwit.core.message.PassingMessage;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.godwit.core.shard.Shard;
import org.jspecify.annotations.Nullable;

/** The messages that one client's PUBLISHes bring, each a copy of what its frame views. */
final class FrameMessages {
    private final Shard shard;
    private final ClientId publisher;
    private final int serverId;

    /** Made with the first that passes. */
    private @Nullable PassingMessage passing;

    FrameMessages(Shard shard, ClientId publisher, int serverId) {
        this.shard = shard;
        this.publisher = publisher;
        this.serverId = serverId;
    }

    /** Of a PUBLISH that comes in here. */
    Message of(PublishFrame frame, Topic topic, long ingressCounter) {
        return of(frame, topic, serverId, ingressCounter);
    }

    /**
     * @param ingressServer of its ingress id: another node's when the session is from an imported
     *     store
     * @throws NoMemoryForPacket its payload could not be copied
     */
    Message of(PublishFrame frame, Topic topic, int ingressServer, long ingressCounter) {
        byte[] payload = copyPayload(frame);
        return new Message(
                topic,
                payload,
                frame.forwardedProperties,
                frame.routedQos,
                frame.retain,
                expiresAtMs(frame),
                publisher,
                ingressServer,
                ingressCounter,
                shard.delays().turnBegin());
    }

    private long expiresAtMs(PublishFrame frame) {
        return frame.expirySeconds < 0
                ? Message.NEVER
                : Message.expiresAtMs(shard.wallMs(), frame.expirySeconds);
    }

    /** Whether it may be {@link #passing}, if nobody here gets it. */
    boolean mayPass(PublishFrame frame, Topic topic) {
        return PassingMessage.mayBe(frame, topic, publisher);
    }

    /** What passes through this node, until the next one does. */
    PassingMessage passing(PublishFrame frame, Topic topic, long ingressCounter) {
        PassingMessage some = passing;
        if (some == null) {
            some = new PassingMessage(publisher, serverId, topic, frame);
            passing = some;
        }
        some.topic = topic;
        some.frame = frame;
        some.ingressCounter = ingressCounter;
        some.expiresAtMs = expiresAtMs(frame);
        return some;
    }

    private static byte[] copyPayload(PublishFrame frame) {
        try {
            return frame.copyPayload();
        } catch (OutOfMemoryError e) {
            throw NoMemoryForPacket.INSTANCE;
        }
    }
}
