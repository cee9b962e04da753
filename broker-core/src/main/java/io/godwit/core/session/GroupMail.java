package io.godwit.core.session;

import io.godwit.core.message.Message;
import io.godwit.core.routing.SharedGroup;
import io.godwit.core.routing.SharedGroupRef;
import io.godwit.core.routing.Subscription;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import org.jspecify.annotations.Nullable;

/** Mail to the shard that owns a shared-subscription group, and from it to a member's session. */
final class GroupMail {
    private GroupMail() {}

    private abstract static class ToGroup extends Mail {
        final SharedGroup group;

        ToGroup(SharedGroupRef group) {
            this.group = (SharedGroup) group;
        }
    }

    /** A session subscribes; its answer goes to the shard that waits with the SUBACK. */
    static final class Join extends ToGroup {
        private final Subscription subscription;
        private final SubscribeMail.Pending pending;
        private final int replyTo;

        Join(
                SharedGroup group,
                Subscription subscription,
                SubscribeMail.Pending pending,
                int replyTo) {
            super(group);
            this.subscription = subscription;
            this.pending = pending;
            this.replyTo = replyTo;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            group.join(subscription, false, 0);
            Session session = (Session) subscription.session;
            at.send(session.owner(), new SubscribeMail.Joined(session, group));
            at.send(replyTo, new SubscribeMail.JoinDone(pending));
            return true;
        }
    }

    static final class Leave extends ToGroup {
        private final Session session;

        Leave(SharedGroupRef group, Session session) {
            super(group);
            this.session = session;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            group.leave(session);
            return true;
        }
    }

    static final class Online extends ToGroup {
        private final Session session;
        private final int credit;
        private final long epoch;

        Online(SharedGroupRef group, Session session, int credit, long epoch) {
            super(group);
            this.session = session;
            this.credit = credit;
            this.epoch = epoch;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            group.online(session, credit, epoch);
            return true;
        }
    }

    static final class Offline extends ToGroup {
        private final Session session;

        Offline(SharedGroupRef group, Session session) {
            super(group);
            this.session = session;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            group.offline(session);
            return true;
        }
    }

    /** A member has acknowledged an entry, or will never be able to take it. */
    static final class Acked extends ToGroup {
        private final Session session;
        private final long entry;

        Acked(SharedGroupRef group, Session session, long entry) {
            super(group);
            this.session = session;
            this.entry = entry;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            group.acked(session, entry);
            return true;
        }
    }

    /** A message for the group. */
    static final class Publish extends ToGroup {
        private final Message message;
        private final @Nullable Receipt receipt;
        private final int home;

        Publish(SharedGroupRef group, Message message, @Nullable Receipt receipt, int home) {
            super(group);
            this.message = message;
            this.receipt = receipt;
            this.home = home;
        }

        @Override
        protected boolean handle(Shard shard, int from) {
            SessionShard at = (SessionShard) shard;
            Receipt here =
                    receipt == null || home == at.index()
                            ? receipt
                            : new RelayReceipt(at, receipt, home);
            at.publishToGroup(group, message, here);
            return true;
        }
    }

    /** From the group to a member's session. */
    static final class Deliver extends SessionMail {
        private final Message message;
        private final Subscription subscription;
        private final @Nullable GroupTicket ticket;
        private final int qos;

        Deliver(Message message, Subscription subscription, int qos, @Nullable GroupTicket ticket) {
            super((Session) subscription.session);
            this.message = message;
            this.subscription = subscription;
            this.qos = qos;
            this.ticket = ticket;
        }

        @Override
        boolean deliver(SessionShard at) {
            session.deliver(
                    message,
                    qos,
                    subscription.retainAsPublished && message.retain,
                    subscription.ids,
                    null,
                    ticket);
            return true;
        }
    }
}
