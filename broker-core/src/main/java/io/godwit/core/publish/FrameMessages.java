package io.godwit.core.publish;

import io.godwit.core.codec.NoMemoryForPacket;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.godwit.core.shard.Shard;

/** The messages that one client's PUBLISHes bring, each a copy of what its frame views. */
final class FrameMessages {
    private final Shard shard;
    private final ClientId publisher;
    private final int serverId;

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
     * @param ingressServer of its ingress id: another node's when the session has come from there
     *     since it came in first
     * @throws NoMemoryForPacket its payload could not be copied
     */
    Message of(PublishFrame frame, Topic topic, int ingressServer, long ingressCounter) {
        byte[] payload = copyPayload(frame);
        long expiresAtMs =
                frame.expirySeconds < 0
                        ? Message.NEVER
                        : shard.wallMs() + frame.expirySeconds * 1000;
        return new Message(
                topic,
                payload,
                frame.forwardedProperties,
                frame.qos,
                frame.retain,
                expiresAtMs,
                publisher,
                ingressServer,
                ingressCounter);
    }

    private static byte[] copyPayload(PublishFrame frame) {
        try {
            return frame.copyPayload();
        } catch (OutOfMemoryError e) {
            throw NoMemoryForPacket.INSTANCE;
        }
    }
}
