package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.RelayReceipt;
import io.godwit.core.group.HandedOver;
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
import io.godwit.core.settings.Rule;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.Receiver;
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
     * Tells the group that a transient member has a packet id for an entry at QoS 2, and waits with
     * its PUBLISH.
     */
    static final class Marked extends OfEntry {
        private final QueueEntry atMember;
        private final int packetId;

        Marked(ReceivingSession session, PartEntry entry, QueueEntry atMember) {
            super(session, entry);
            this.atMember = atMember;
            this.packetId = atMember.packetId;
        }

        @Override
        void change(Shard at) {
            group.marked(
                    session, entry, packetId, Receiver.ofTransient(session.key().generation()));
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

    // ---------------------------------------------------------------- what is handed over

    /** Brings a message from the group to the own queue of a durable member. */
    static final class HandOver extends SessionMail<Session> {
        private final HandedOver given;
        private final Message message;

        /**
         * @param message under the id of the hand-over
         */
        HandOver(HandedOver given, Message message) {
            super((Session) given.subscription().session);
            this.given = given;
            this.message = message;
        }

        @Override
        protected long bytes() {
            return message.accountedBytes();
        }

        @Override
        public boolean deliver(Shard at) {
            if (!session.isOnlineAt(given.attachment()) || !session.isDurable()) {
                at.send(groupOf(given).owner(), new NotAppended(given));
                return true;
            }
            Subscription as = given.subscription();
            session.deliver(
                    message,
                    2,
                    as.retainAsPublished && message.retain,
                    as.ids,
                    new Append(at, session, given),
                    given);
            if (!at.rules().holds(Rule.GROUP_KEEPS)) {
                at.send(groupOf(given).owner(), new Appended(given));
            }
            return true;
        }
    }

    /** Waits for the append of what was handed over, on the shard that has made it. */
    private static final class Append extends Receipt {
        private final Shard at;
        private final Session session;
        private final HandedOver given;

        Append(Shard at, Session session, HandedOver given) {
            super(null, 0, 2);
            this.at = at;
            this.session = session;
            this.given = given;
        }

        @Override
        public void onDone() {
            AppendDone done = new AppendDone(session, given, !hasFailed());
            if (session.isHere(at.index())) {
                done.deliver(at);
            } else {
                at.send(session.owner(), done);
            }
        }
    }

    /**
     * Tells the group, from the session, what has become of an append. A session that is elsewhere
     * can't tell whether the other node has it.
     */
    private static final class AppendDone extends SessionMail<Session> {
        private final HandedOver given;
        private final boolean isKept;

        AppendDone(Session session, HandedOver given, boolean isKept) {
            super(session);
            this.given = given;
            this.isKept = isKept;
        }

        @Override
        public boolean deliver(Shard at) {
            boolean isSure = isKept && !session.isElsewhere();
            at.send(groupOf(given).owner(), isSure ? new Appended(given) : new IsElsewhere(given));
            return true;
        }
    }

    private abstract static class OfHandOver extends ToGroup {
        final HandedOver given;

        OfHandOver(HandedOver given) {
            super(groupOf(given));
            this.given = given;
        }
    }

    private static SharedGroup groupOf(HandedOver given) {
        return groupOf(given.entry());
    }

    private static final class Appended extends OfHandOver {
        Appended(HandedOver given) {
            super(given);
        }

        @Override
        void change(Shard at) {
            group.appended(given, at.sureMs());
        }
    }

    private static final class NotAppended extends OfHandOver {
        NotAppended(HandedOver given) {
            super(given);
        }

        @Override
        void change(Shard at) {
            group.notAppended(given, at.sureMs());
        }
    }

    private static final class IsElsewhere extends OfHandOver {
        IsElsewhere(HandedOver given) {
            super(given);
        }

        @Override
        void change(Shard at) {
            group.isElsewhere(given);
        }
    }

    /** Tells the group that an entry which it has handed over is done with at the member. */
    static final class HandedOverLeft extends OfHandOver {
        HandedOverLeft(HandedOver given) {
            super(given);
        }

        @Override
        void change(Shard at) {
            group.handedOverLeft(given, at.sureMs());
        }
    }

    /** Brings back what was handed over to a session that has ended, and never left there. */
    static final class GivenBack extends OfHandOver {
        private final Message message;

        GivenBack(HandedOver given, Message message) {
            super(given);
            this.message = message;
        }

        @Override
        protected long bytes() {
            return message.accountedBytes();
        }

        @Override
        void change(Shard at) {
            group.givenBack(given, message, at.sureMs());
        }
    }

    // ---------------------------------------------------------------- to the index

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
