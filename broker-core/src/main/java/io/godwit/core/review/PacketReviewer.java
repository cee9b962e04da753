package io.godwit.core.review;

import io.godwit.core.auth.Subject;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import java.util.function.Consumer;

/**
 * Sees packets that it can't stop: all but CONNECT, PUBLISH, SUBSCRIBE and UNSUBSCRIBE. It is
 * called by the thread of the client's shard and must not block; its answer comes later, from any
 * thread, once: a second one is ignored. Of one connection it is asked about the next packet when
 * this one is answered. It bounds how long it takes: an answer comes for each question.
 */
public interface PacketReviewer {
    /**
     * Whether packets of this type are to be shown.
     *
     * @param client anonymous as long as it is not let in
     * @param isOut whether the broker sends them
     */
    boolean sees(Subject client, PacketType type, boolean isOut);

    /**
     * Begins to review a packet.
     *
     * @param client anonymous as long as it is not let in
     * @param isOut whether the broker sends it
     */
    void review(
            Subject client,
            ProtocolVersion version,
            Packet packet,
            boolean isOut,
            Consumer<PacketOutcome> answer);
}
