package io.godwit.core.index;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.routing.Subscription;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Mailer;
import io.godwit.core.shard.Shard;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells the topic index which filters a session gives up, by UNSUBSCRIBE or since it ended. */
final class UnsubscribeMail extends IndexMail {
    /**
     * An UNSUBACK that waits until its filters were gone through, and for each step of that for the
     * index and the commit.
     */
    static final class Pending {
        private final SubscribeContext context;
        private final Subscriber session;
        private final SubscriberLink connection;
        private final int packetId;
        private final byte[] codes;

        /** Reason String of the first filter that was not there. */
        Properties why = Properties.NONE;

        private int missing = 1;
        private boolean failed;

        Pending(
                SubscribeContext context,
                Subscriber session,
                SubscriberLink connection,
                int packetId,
                byte[] codes) {
            this.context = context;
            this.session = session;
            this.connection = connection;
            this.packetId = packetId;
            this.codes = codes;
        }

        /** Waits for the filters, too, that were removed in this turn. */
        void awaitsStep() {
            missing++;
            if (session.isDurable()) {
                missing++;
                context.shard()
                        .afterCommit(
                                session.copySet(),
                                isKept -> {
                                    failed |= !isKept;
                                    done();
                                });
            }
        }

        void done() {
            if (--missing == 0) {
                answer();
            }
        }

        private void answer() {
            connection.answered();
            if (!failed) {
                connection.send(new Packet.UnsubAck(packetId, codes, why));
            } else if (connection.version().isV5()) {
                byte[] failed = new byte[codes.length];
                Arrays.fill(failed, (byte) ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR.code());
                connection.send(new Packet.UnsubAck(packetId, failed, Properties.NONE));
            } else {
                connection.close(
                        ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "the store failed", true);
            }
        }
    }

    private final Subscriber session;
    private final List<Subscription> removed;
    private final @Nullable Runnable whenDone;
    private final boolean sessionEnded;
    private int next;

    /**
     * @param whenDone run on the shard that sends this: no shard routes to these filters any more;
     *     null when nobody waits
     */
    UnsubscribeMail(
            IndexOwner index,
            Subscriber session,
            List<Subscription> removed,
            @Nullable Runnable whenDone,
            boolean sessionEnded) {
        super(index);
        this.session = session;
        this.removed = removed;
        this.whenDone = whenDone;
        this.sessionEnded = sessionEnded;
    }

    @Override
    int work(IndexOwner index, Mailer at, int from) {
        int first = next;
        int end = Math.min(removed.size(), first + SLICE);
        while (next < end) {
            index.unsubscribe(session, removed.get(next++), sessionEnded);
        }
        if (whenDone != null && isDone()) {
            at.send(from, new Done(whenDone));
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

    /** Tells the shard that asked that no shard routes to these filters any more. */
    private static final class Done extends Mail {
        private final Runnable whenDone;

        Done(Runnable whenDone) {
            this.whenDone = whenDone;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            whenDone.run();
            return true;
        }
    }
}
