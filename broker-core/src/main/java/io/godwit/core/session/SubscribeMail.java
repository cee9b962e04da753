package io.godwit.core.session;

import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.SharedGroupRef;
import io.godwit.core.routing.Subscription;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import java.util.List;

/** To the topic index: the filters of one SUBSCRIBE. Its answers come back as {@link Done}. */
final class SubscribeMail extends IndexMail {
    /**
     * @param replay whether retained messages are wanted
     */
    record Wanted(Subscription subscription, boolean replay) {}

    /** A SUBACK that waits for the index, for the groups joined, and for the commit. */
    static final class Pending {
        final Session session;
        final ClientConnection connection;
        final int packetId;
        final byte[] codes;
        private int missing = 1;

        Pending(Session session, ClientConnection connection, int packetId, byte[] codes) {
            this.session = session;
            this.connection = connection;
            this.packetId = packetId;
            this.codes = codes;
        }

        void expect(int more) {
            missing += more;
        }

        /** One answer has come; with the last the SUBACK leaves, after the commit. */
        void done(SessionShard at) {
            if (--missing > 0) {
                return;
            }
            if (session.isDurable() && at.rules().waitForStore()) {
                at.afterCommit(
                        durable -> Subscribing.sendSubAck(connection, packetId, codes, durable));
            } else {
                Subscribing.sendSubAck(connection, packetId, codes, true);
            }
        }
    }

    private final Pending pending;
    private final List<Wanted> wanted;
    private final int replyTo;
    private int added;
    private int told;
    private int joins;
    private boolean answered;

    SubscribeMail(Pending pending, List<Wanted> wanted, int replyTo) {
        this.pending = pending;
        this.wanted = wanted;
        this.replyTo = replyTo;
    }

    /** Every filter is added; then SUBACK may leave, before the replays. */
    @Override
    int work(IndexOwner index, SessionShard at, int from) {
        int left = SLICE;
        while (added < wanted.size() && left > 0) {
            Subscription subscription = wanted.get(added++).subscription();
            if (subscription.filter.isShared()) {
                joins++;
            } else {
                index.add(subscription);
            }
            left--;
        }
        if (added == wanted.size() && !answered) {
            answered = true;
            at.send(replyTo, new Done(pending, joins));
        }
        while (answered && told < wanted.size() && left > 0) {
            index.subscribed(pending, wanted.get(told++), replyTo);
            left--;
        }
        return SLICE - left;
    }

    @Override
    boolean isDone() {
        return answered && told == wanted.size();
    }

    @Override
    protected int weight() {
        return Math.max(1, wanted.size());
    }

    /**
     * From the index: every filter is seen by every shard. The connection lives on the shard that
     * asked, whatever became of the session.
     */
    static final class Done extends Mail {
        private final Pending pending;
        private final int groups;

        /**
         * @param groups how many {@link Joined} follow from the groups' shards
         */
        Done(Pending pending, int groups) {
            this.pending = pending;
            this.groups = groups;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            pending.expect(groups);
            pending.done((SessionShard) at);
            return true;
        }
    }

    /** From a group's shard: the session is a member. */
    static final class Joined extends SessionMail {
        private final SharedGroupRef group;

        Joined(Session session, SharedGroupRef group) {
            super(session);
            this.group = group;
        }

        @Override
        boolean deliver(SessionShard at) {
            session.joined(group);
            return true;
        }
    }

    /** From a group's shard, beside {@link Joined}: one answer less is missing. */
    static final class JoinDone extends Mail {
        private final Pending pending;

        JoinDone(Pending pending) {
            this.pending = pending;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            pending.done((SessionShard) at);
            return true;
        }
    }

    static boolean isShared(TopicFilter filter) {
        return filter.isShared();
    }
}
