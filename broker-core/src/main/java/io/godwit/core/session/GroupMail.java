package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.RelayReceipt;
import io.godwit.core.index.SubscribeMail;
import io.godwit.core.mail.SessionMail;
import io.godwit.core.message.Message;
import io.godwit.core.queue.GroupTicket;
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
        final OwnedGroups groups;
        final SharedGroup group;

        ToGroup(OwnedGroups groups, SharedGroupRef group) {
            this.groups = groups;
            this.group = (SharedGroup) group;
        }

        abstract void change(Shard at);

        @Override
        protected final boolean handle(Shard at, int from) {
            change(at);
            groups.changed(group);
            return true;
        }
    }

    /** A session subscribes; its answer goes to the shard that waits with the SUBACK. */
    static final class Join extends ToGroup {
        private final Subscription subscription;
        private final SubscribeMail.Pending pending;
        private final int replyTo;

        Join(
                OwnedGroups groups,
                SharedGroup group,
                Subscription subscription,
                SubscribeMail.Pending pending,
                int replyTo) {
            super(groups, group);
            this.subscription = subscription;
            this.pending = pending;
            this.replyTo = replyTo;
        }

        @Override
        void change(Shard at) {
            group.join(subscription, false, 0, 0, at.wallMs());
            Session session = (Session) subscription.session;
            at.send(session.owner(), new SubscribeMail.Joined(session, group));
            at.send(replyTo, new SubscribeMail.JoinDone(pending));
        }
    }

    /** A session unsubscribed, or ended. */
    static final class Leave extends ToGroup {
        private final Session session;
        private final boolean sessionEnded;

        Leave(OwnedGroups groups, SharedGroupRef group, Session session, boolean sessionEnded) {
            super(groups, group);
            this.session = session;
            this.sessionEnded = sessionEnded;
        }

        @Override
        void change(Shard at) {
            if (sessionEnded) {
                group.gone(session, at.wallMs());
            } else {
                group.leave(session, at.wallMs());
            }
        }
    }

    static final class Online extends ToGroup {
        private final Session session;
        private final int credit;
        private final int connection;

        Online(
                OwnedGroups groups,
                SharedGroupRef group,
                Session session,
                int credit,
                int connection) {
            super(groups, group);
            this.session = session;
            this.credit = credit;
            this.connection = connection;
        }

        @Override
        void change(Shard at) {
            group.online(session, credit, connection, at.wallMs());
        }
    }

    static final class Offline extends ToGroup {
        private final Session session;

        Offline(OwnedGroups groups, SharedGroupRef group, Session session) {
            super(groups, group);
            this.session = session;
        }

        @Override
        void change(Shard at) {
            group.offline(session, at.wallMs());
        }
    }

    /** A member has acknowledged an entry, or will never be able to take it. */
    static final class Acked extends ToGroup {
        static final int NOT_LENT = -1;

        private final Session session;
        private final long entry;
        private final int lentServer;

        /**
         * @param lentServer of the entry's message id when the member's queue has a row of it,
         *     which stays until the group's is gone; else {@link #NOT_LENT}
         */
        Acked(
                OwnedGroups groups,
                SharedGroupRef group,
                Session session,
                long entry,
                int lentServer) {
            super(groups, group);
            this.session = session;
            this.entry = entry;
            this.lentServer = lentServer;
        }

        @Override
        void change(Shard at) {
            group.acked(session, entry, at.wallMs());
            if (lentServer != NOT_LENT) {
                at.send(session.owner(), new LentEnded(session, entry, lentServer));
            }
        }
    }

    /** PUBREC came from a member: it has the entry, though its handshake goes on. */
    static final class Released extends ToGroup {
        private final Session session;
        private final long entry;

        Released(OwnedGroups groups, SharedGroupRef group, Session session, long entry) {
            super(groups, group);
            this.session = session;
            this.entry = entry;
        }

        @Override
        void change(Shard at) {
            group.released(session, entry);
        }
    }

    /** From the group: its own row is gone, and the member's may go. */
    private static final class LentEnded extends SessionMail<Session> {
        private final long entry;
        private final int server;

        LentEnded(Session session, long entry, int server) {
            super(session);
            this.entry = entry;
            this.server = server;
        }

        @Override
        public boolean deliver(Shard at) {
            if (session.isDurable() && !session.isEnded()) {
                at.store().lentEnded(session.queueId(), entry, server);
            }
            return true;
        }
    }

    /**
     * A member gives an entry back that it has not sent: it was meant for a connection that is
     * gone.
     */
    static final class Returned extends ToGroup {
        private final Session session;
        private final long entry;

        Returned(OwnedGroups groups, SharedGroupRef group, Session session, long entry) {
            super(groups, group);
            this.session = session;
            this.entry = entry;
        }

        @Override
        void change(Shard at) {
            group.returned(session, entry, at.wallMs());
        }
    }

    /** A message for the group. */
    static final class Publish extends ToGroup {
        private final Message message;
        private final @Nullable Receipt receipt;
        private final int origin;

        Publish(
                OwnedGroups groups,
                SharedGroupRef group,
                Message message,
                @Nullable Receipt receipt,
                int origin) {
            super(groups, group);
            this.message = message;
            this.receipt = receipt;
            this.origin = origin;
        }

        @Override
        protected long bytes() {
            return message.accountedBytes();
        }

        @Override
        void change(Shard at) {
            Receipt here = RelayReceipt.at(at, receipt, origin);
            group.publish(message, at.wallMs());
            if (here != null) {
                at.afterCommit(here::targetDone);
            }
        }
    }

    /** From the group to a member's session. */
    static final class Deliver extends SessionMail<Session> {
        private final Message message;
        private final Subscription subscription;
        private final int qos;
        private final long entry;
        private final int server;
        private final int connection;
        private final long queueId;

        /**
         * @param server of the entry's message id
         * @param connection the member's connection that it is meant for
         * @param queueId of the group, 0 when it is not durable
         */
        Deliver(
                Message message,
                Subscription subscription,
                int qos,
                long entry,
                int server,
                int connection,
                long queueId) {
            super((Session) subscription.session);
            this.message = message;
            this.subscription = subscription;
            this.qos = qos;
            this.entry = entry;
            this.server = server;
            this.connection = connection;
            this.queueId = queueId;
        }

        @Override
        protected long bytes() {
            return message.accountedBytes();
        }

        @Override
        public boolean deliver(Shard at) {
            SharedGroupRef group = session.subscriptions().group(subscription.filter);
            if (!session.isOnlineAt(connection) || group == null) {
                // QoS 1 the group has taken back itself, QoS 0 is lost with the connection.
                if (qos == 2 && group != null) {
                    at.send(
                            group.owner(),
                            new Returned(
                                    session.context().groupsOf(group.owner()),
                                    group,
                                    session,
                                    entry));
                }
                return true;
            }
            session.deliver(
                    message,
                    qos,
                    subscription.retainAsPublished && message.retain,
                    subscription.ids,
                    null,
                    qos == 0 ? null : new GroupTicket(group, entry, server, queueId));
            return true;
        }
    }
}
