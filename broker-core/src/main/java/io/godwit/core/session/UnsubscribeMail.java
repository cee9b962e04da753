package io.godwit.core.session;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.routing.Subscription;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** To the topic index: filters that a session gives up, by UNSUBSCRIBE or since it ended. */
final class UnsubscribeMail extends IndexMail {
    /** An UNSUBACK that waits for the index and for the commit. */
    record Pending(Session session, ClientConnection connection, int packetId, byte[] codes) {
        void done(SessionShard at) {
            if (session.isDurable() && at.rules().waitForStore()) {
                at.afterCommit(this::answer);
            } else {
                answer(true);
            }
        }

        private void answer(boolean durable) {
            connection.answered();
            if (durable) {
                connection.send(new Packet.UnsubAck(packetId, codes, Properties.NONE));
            } else if (connection.version.isV5()) {
                byte[] failed = new byte[codes.length];
                java.util.Arrays.fill(
                        failed, (byte) ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR.code());
                connection.send(new Packet.UnsubAck(packetId, failed, Properties.NONE));
            } else {
                connection.close(
                        ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "the store failed", true);
            }
        }
    }

    private final Session session;
    private final List<Subscription> removed;
    private final @Nullable Pending pending;
    private int next;

    UnsubscribeMail(Session session, List<Subscription> removed, @Nullable Pending pending) {
        this.session = session;
        this.removed = removed;
        this.pending = pending;
    }

    @Override
    int work(IndexOwner index, SessionShard at, int from) {
        int first = next;
        int end = Math.min(removed.size(), first + SLICE);
        while (next < end) {
            index.unsubscribe(session, removed.get(next++), pending == null);
        }
        if (pending != null && isDone()) {
            at.send(from, new Done(pending));
        }
        return end - first;
    }

    @Override
    boolean isDone() {
        return next == removed.size();
    }

    @Override
    protected int weight() {
        return Math.max(1, removed.size());
    }

    /** From the index: no shard routes to these filters any more. */
    private static final class Done extends Mail {
        private final Pending pending;

        Done(Pending pending) {
            this.pending = pending;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            pending.done((SessionShard) at);
            return true;
        }
    }
}
