package io.godwit.core.index;

import io.godwit.core.mail.SessionMail;
import io.godwit.core.packet.Properties;
import io.godwit.core.routing.SharedGroupRef;
import io.godwit.core.routing.Subscription;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Mailer;
import io.godwit.core.shard.Shard;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Brings filters of one SUBSCRIBE to the topic index. The answers come back as {@link Done}. */
public final class SubscribeMail extends IndexMail {
    /**
     * @param isNew the session had no subscription with this filter
     * @param replay whether retained messages are wanted
     */
    record Granted(Subscription subscription, boolean isNew, boolean replay) {}

    /**
     * A SUBACK that waits until its filters were gone through, and for each step of that for the
     * index, each group joined and known as it is then, and the commit; these come in any order.
     */
    public static final class Pending {
        final Subscriber session;
        private final SubscriberLink connection;
        private final SubscribeContext context;
        private final int packetId;
        private final byte[] codes;
        private final int credit;
        private final int packetBytesMax;
        private final int connectionNumber;
        private final List<Granted> granted = new ArrayList<>(1);

        /** Reason String of the first filter that was refused. */
        Properties why = Properties.NONE;

        private int missing = 1;
        private boolean failed;

        /** Retained replays that are announced behind the SUBACK. */
        private @Nullable List<RetainedReplay> replays;

        /**
         * @param codes of the SUBACK, which are known when {@link #done} is called
         */
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
            this.credit = session.inFlightMax();
            this.packetBytesMax = session.packetBytesMax();
            this.connectionNumber = session.connectionNumber();
        }

        /** QoS 1 and 2 messages that the session's connection takes; 0 when it has none. */
        public int credit() {
            return credit;
        }

        /** Bytes of the largest packet that the connection takes. */
        public int packetBytesMax() {
            return packetBytesMax;
        }

        /** The session's number of that connection. */
        public int connectionNumber() {
            return connectionNumber;
        }

        /** Waits for these filters, too, that were granted in this turn and go to the index. */
        void awaits(List<Granted> more) {
            granted.addAll(more);
            missing++;
            for (Granted each : more) {
                if (each.subscription().filter.isShared()) {
                    missing++;
                }
            }
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

        /** Counts an answer; with the last one the SUBACK leaves. */
        void done() {
            if (--missing > 0) {
                return;
            }
            if (failed) {
                new Undo(context, session, granted)
                        .handle(context.shard(), context.shard().index());
            }
            Subscribing.sendSubAck(connection, packetId, codes, why, !failed);
            List<RetainedReplay> waiting = replays;
            replays = null;
            if (waiting != null) {
                waiting.forEach(each -> each.announce(context.shard()));
            }
        }

        /** Has a replay begin, behind the SUBACK. */
        void replay(RetainedReplay replay) {
            List<RetainedReplay> waiting = replays;
            if (missing <= 0) {
                replay.announce(context.shard());
            } else if (waiting == null) {
                replays = new ArrayList<>(List.of(replay));
            } else {
                waiting.add(replay);
            }
        }
    }

    private final Pending pending;
    private final List<Granted> granted;
    private final int replyTo;
    private int added;
    private int told;
    private boolean answered;

    SubscribeMail(IndexOwner index, Pending pending, List<Granted> granted, int replyTo) {
        super(index);
        this.pending = pending;
        this.granted = granted;
        this.replyTo = replyTo;
    }

    /**
     * Adds a slice of the filters; behind the last one, and once other nodes know of them, SUBACK
     * may leave. Replays are announced behind it.
     */
    @Override
    int work(IndexOwner index, Mailer at, int from) {
        int left = SLICE;
        while (added < granted.size() && left > 0) {
            Subscription subscription = granted.get(added++).subscription();
            if (subscription.filter.isShared()) {
                index.addGroup(subscription);
            } else {
                index.add(subscription);
            }
            left--;
        }
        if (added == granted.size() && !answered) {
            answered = true;
            index.whenKnown(() -> at.send(replyTo, new Done(pending)));
        }
        while (answered && told < granted.size() && left > 0) {
            index.subscribed(pending, granted.get(told++), replyTo);
            left--;
        }
        return SLICE - left;
    }

    @Override
    boolean isDone() {
        return answered && told == granted.size();
    }

    @Override
    protected int weight() {
        return Math.max(1, granted.size());
    }

    /**
     * Tells the shard that asked that every shard sees every filter. The connection lives on the
     * shard that asked, whatever became of the session.
     */
    static final class Done extends Mail {
        private final Pending pending;

        Done(Pending pending) {
            this.pending = pending;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            pending.done();
            return true;
        }
    }

    /**
     * Tells the shard that asked that there are retained messages to replay. The connection that
     * gets the SUBACK lives there.
     */
    static final class Replays extends Mail {
        private final Pending pending;
        private final RetainedReplay replay;

        Replays(Pending pending, RetainedReplay replay) {
            this.pending = pending;
            this.replay = replay;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            pending.replay(replay);
            return true;
        }
    }

    /** Tells the session, from a group's shard, that it is a member. */
    public static final class Joined extends SessionMail<Subscriber> {
        private final SharedGroupRef group;

        public Joined(Subscriber session, SharedGroupRef group) {
            super(session);
            this.group = group;
        }

        @Override
        public boolean deliver(Shard at) {
            if (!session.isEnded()) {
                session.subscriptions().joined(group);
            }
            return true;
        }
    }

    /**
     * Tells the index, from a group's shard, that the group has its member. One answer for the
     * SUBACK, as soon as other nodes know what there is of the group now: otherwise a publish right
     * behind the SUBACK could find nobody there.
     */
    public static final class JoinDone extends Mail {
        private final Pending pending;
        private final int replyTo;

        public JoinDone(Pending pending, int replyTo) {
            this.pending = pending;
            this.replyTo = replyTo;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            pending.context.index().get().whenKnown(() -> at.send(replyTo, new Done(pending)));
            return true;
        }
    }

    /** Takes back what the SUBACK refuses since the commit failed. What was there before stays. */
    private static final class Undo extends SessionMail<Subscriber> {
        private final SubscribeContext context;
        private final List<Granted> granted;

        Undo(SubscribeContext context, Subscriber session, List<Granted> granted) {
            super(session);
            this.context = context;
            this.granted = granted;
        }

        @Override
        public boolean deliver(Shard at) {
            List<Subscription> removed = new ArrayList<>();
            for (Granted each : granted) {
                Subscription made = each.subscription();
                if (each.isNew() && session.subscriptions().get(made.filter) == made) {
                    session.subscriptions().remove(made.filter);
                    removed.add(made);
                }
            }
            if (!removed.isEmpty()) {
                at.send(
                        TopicIndex.OWNER,
                        new UnsubscribeMail(context.index().get(), session, removed, null, false));
            }
            return true;
        }
    }
}
