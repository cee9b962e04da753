package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.RelayReceipt;
import io.godwit.core.group.SharedGroup;
import io.godwit.core.index.SubscribeMail;
import io.godwit.core.mail.SessionMail;
import io.godwit.core.message.Message;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.queue.QueueEntry;
import io.godwit.core.routing.GroupState;
import io.godwit.core.routing.SharedGroupRef;
import io.godwit.core.routing.Subscription;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.Recovery.KeptInFlight;
import org.jspecify.annotations.Nullable;

/** Mail to the shard that owns a shared-subscription group, and from it to a member's session. */
final class GroupMail {
    private GroupMail() {}

    private abstract static class ToGroup extends Mail {
        final SharedGroup group;

        ToGroup(SharedGroupRef group) {
            this.group = (SharedGroup) group;
        }

        abstract void change(Shard at);

        @Override
        protected final boolean handle(Shard at, int from) {
            change(at);
            group.changed();
            return true;
        }
    }

    /**
     * Makes a session a member, with the connection that it had when it asked; what has become of
     * that it says when it is told. The answer goes to the shard that waits with the SUBACK, by way
     * of the index: behind what that is told of the group.
     */
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
        void change(Shard at) {
            Session session = (Session) subscription.session;
            // First: it has to know the group when a message comes from there.
            at.send(session.owner(), new SubscribeMail.Joined(session, group));
            int credit = pending.credit();
            group.join(
                    subscription,
                    credit > 0,
                    credit,
                    pending.connectionNumber(),
                    pending.packetBytesMax(),
                    at.sureMs());
            at.send(TopicIndex.OWNER, new SubscribeMail.JoinDone(pending, replyTo));
        }
    }

    /** Takes a member out: its session unsubscribed, or ended. */
    static final class Leave extends ToGroup {
        private final Session session;
        private final boolean sessionEnded;

        Leave(SharedGroupRef group, Session session, boolean sessionEnded) {
            super(group);
            this.session = session;
            this.sessionEnded = sessionEnded;
        }

        @Override
        void change(Shard at) {
            if (sessionEnded) {
                group.gone(session, at.sureMs());
            } else {
                group.leave(session, at.sureMs());
            }
        }
    }

    static final class Online extends ToGroup {
        private final Session session;
        private final int credit;
        private final int connection;
        private final int packetBytesMax;

        Online(
                SharedGroupRef group,
                Session session,
                int credit,
                int connection,
                int packetBytesMax) {
            super(group);
            this.session = session;
            this.credit = credit;
            this.connection = connection;
            this.packetBytesMax = packetBytesMax;
        }

        @Override
        void change(Shard at) {
            group.online(session, credit, connection, packetBytesMax, at.sureMs());
        }
    }

    static final class Offline extends ToGroup {
        private final Session session;

        Offline(SharedGroupRef group, Session session) {
            super(group);
            this.session = session;
        }

        @Override
        void change(Shard at) {
            group.offline(session, at.sureMs());
        }
    }

    static SharedGroup groupOf(PartEntry entry) {
        return SharedGroup.of(entry);
    }

    private abstract static class OfEntry extends ToGroup {
        final ReceivingSession session;
        final PartEntry entry;

        OfEntry(ReceivingSession session, PartEntry entry) {
            super(groupOf(entry));
            this.session = session;
            this.entry = entry;
        }
    }

    /**
     * Tells the group that a member is done with an entry: it has acknowledged it, or can never
     * take it.
     */
    static final class Acked extends OfEntry {
        Acked(ReceivingSession session, PartEntry entry) {
            super(session, entry);
        }

        @Override
        void change(Shard at) {
            group.acked(session, entry, at.sureMs());
        }
    }

    /**
     * Tells the group that a member has a packet id for an entry at QoS 2, and waits with its
     * PUBLISH.
     */
    static final class Marked extends OfEntry {
        private final QueueEntry atMember;
        private final int packetId;
        private final Receiver receiver;

        Marked(ReceivingSession session, PartEntry entry, QueueEntry atMember) {
            super(session, entry);
            this.atMember = atMember;
            this.packetId = atMember.packetId;
            this.receiver = new Receiver(session.key(), atMember.retain, atMember.ids);
        }

        @Override
        void change(Shard at) {
            group.marked(session, entry, packetId, receiver);
            goOnWhenKept(at, session, entry, atMember);
        }
    }

    /** Tells the group that PUBREC came from a member, which waits with its PUBREL. */
    static final class Got extends OfEntry {
        private final QueueEntry atMember;

        Got(ReceivingSession session, PartEntry entry, QueueEntry atMember) {
            super(session, entry);
            this.atMember = atMember;
        }

        @Override
        void change(Shard at) {
            group.got(session, entry, at.sureMs());
            goOnWhenKept(at, session, entry, atMember);
        }
    }

    private static void goOnWhenKept(
            Shard at, ReceivingSession session, PartEntry entry, QueueEntry atMember) {
        entry.part.whenKept(
                isKept -> at.send(session.owner(), new GoOn(session, atMember, isKept)));
    }

    /** Tells the member, from the group, that the next packet of an entry may leave. */
    private static final class GoOn extends SessionMail<ReceivingSession> {
        private final QueueEntry entry;
        private final boolean isKept;

        GoOn(ReceivingSession session, QueueEntry entry, boolean isKept) {
            super(session);
            this.entry = entry;
            this.isKept = isKept;
        }

        @Override
        public boolean deliver(Shard at) {
            if (!session.isEnded()) {
                session.queue().delivery().sharedGoesOn(entry, isKept);
                session.pump();
            }
            return true;
        }
    }

    /** Tells the group that a member's session ends with an entry that has a packet id. */
    static final class Ends extends OfEntry {
        private final boolean hasLeft;

        Ends(ReceivingSession session, PartEntry entry, boolean hasLeft) {
            super(session, entry);
            this.hasLeft = hasLeft;
        }

        @Override
        void change(Shard at) {
            group.ends(session, entry, hasLeft, at.sureMs());
        }
    }

    /** Tells the session, from the group at start, that it has this entry in flight. */
    static final class Again extends SessionMail<ReceivingSession> {
        private final PartEntry entry;
        private final int packetId;
        private final Receiver as;

        Again(ReceivingSession session, PartEntry entry, KeptInFlight as) {
            super(session);
            this.entry = entry;
            this.packetId = as.packetId();
            this.as = as.to();
        }

        @Override
        public boolean deliver(Shard at) {
            if (session.isEnded()) {
                at.send(groupOf(entry).owner(), new Ends(session, entry, true));
            } else {
                session.queue().sharedAgain(entry, packetId, as.retain(), as.ids());
            }
            return true;
        }
    }

    /**
     * Tells the session, from the group at start, that an entry which it was to be told of is not
     * there any more.
     */
    static final class NotAgain extends SessionMail<Session> {
        NotAgain(Session session) {
            super(session);
        }

        @Override
        public boolean deliver(Shard at) {
            if (!session.isEnded()) {
                session.queue().sharedEnded();
            }
            return true;
        }
    }

    /** Tells the topic index what there is of a group, for other nodes. */
    static final class Changed extends Mail {
        private final TopicIndex index;
        private final SharedGroupRef group;
        private final GroupState state;

        Changed(TopicIndex index, SharedGroupRef group, GroupState state) {
            this.index = index;
            this.group = group;
            this.state = state;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            index.groupChanged(group, state);
            return true;
        }
    }

    /** Brings a message to the group. */
    static final class Publish extends ToGroup {
        private final Message message;
        private final @Nullable Receipt receipt;
        private final int origin;

        Publish(SharedGroupRef group, Message message, @Nullable Receipt receipt, int origin) {
            super(group);
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
            group.publish(message, here, at.sureMs());
        }
    }

    /** Tells the group that a QoS 2 message will not come again. */
    static final class Forget extends ToGroup {
        private final int ingressServer;
        private final long ingressCounter;

        Forget(SharedGroupRef group, int ingressServer, long ingressCounter) {
            super(group);
            this.ingressServer = ingressServer;
            this.ingressCounter = ingressCounter;
        }

        @Override
        void change(Shard at) {
            group.forget(ingressServer, ingressCounter);
        }
    }

    /** Brings a message from the group to a member's session. */
    static final class Deliver extends SessionMail<Session> {
        private final Message message;
        private final Subscription subscription;
        private final int qos;
        private final @Nullable PartEntry entry;
        private final int connection;

        /**
         * @param entry the group's entry of the message; null at QoS 0
         * @param connection the member's connection that it is meant for
         */
        Deliver(
                Message message,
                Subscription subscription,
                int qos,
                @Nullable PartEntry entry,
                int connection) {
            super((Session) subscription.session);
            this.message = message;
            this.subscription = subscription;
            this.qos = qos;
            this.entry = entry;
            this.connection = connection;
        }

        @Override
        protected long bytes() {
            return message.accountedBytes();
        }

        @Override
        public boolean deliver(Shard at) {
            if (!session.isOnlineAt(connection)) {
                return true; // The group takes it back itself; QoS 0 is lost with the connection.
            }
            session.deliver(
                    message,
                    qos,
                    subscription.retainAsPublished && message.retain,
                    subscription.ids,
                    null,
                    entry);
            return true;
        }
    }
}
