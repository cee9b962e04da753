package io.godwit.core.node;

import io.godwit.core.auth.Access;
import io.godwit.core.index.SubscriberLink;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.session.Session;
import java.util.concurrent.CompletableFuture;

/**
 * Stands in for the connection of a client whose session an extension subscribes for: the rules of
 * the client are not asked, and the answer goes to the extension. On the shard that owned the
 * session when it was asked; when the session has left it before the end, there is no answer.
 */
final class ServiceSubscriber implements SubscriberLink {
    private final BrokerShard shard;
    private final Session session;
    private final CompletableFuture<byte[]> answer;

    /**
     * @param answer completes with the reason codes of SUBACK or UNSUBACK
     */
    ServiceSubscriber(BrokerShard shard, Session session, CompletableFuture<byte[]> answer) {
        this.shard = shard;
        this.session = session;
        this.answer = answer;
    }

    @Override
    public ProtocolVersion version() {
        return ProtocolVersion.MQTT_5;
    }

    @Override
    public boolean isClosed() {
        return session.isEnded() || session.owner() != shard.index();
    }

    @Override
    public Access access() {
        return Access.ALL;
    }

    @Override
    public void awaitAnswer() {}

    @Override
    public void answered() {
        if (isClosed()) {
            answer.completeExceptionally(
                    new IllegalStateException(
                            "the session has ended, or its client has connected, meanwhile"));
        }
    }

    @Override
    public void subscribing(boolean inWork) {}

    @Override
    public void send(Packet packet) {
        if (packet instanceof Packet.SubAck ack) {
            answer.complete(ack.codes());
        } else if (packet instanceof Packet.UnsubAck ack) {
            answer.complete(ack.codes());
        }
    }

    @Override
    public void close(ReasonCode reason, String text, boolean publishWill) {
        answer.completeExceptionally(new IllegalStateException(text));
    }
}
