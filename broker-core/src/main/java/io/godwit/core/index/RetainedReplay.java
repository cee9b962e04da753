package io.godwit.core.index;

import io.godwit.core.message.Message;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.RetainedScan;
import io.godwit.core.routing.Subscription;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.shard.Shard;
import java.util.ArrayList;
import java.util.List;

/**
 * The retained messages of one new subscription on their way to its session, in batches that the
 * session asks for: a replay of a million messages waits for a slow subscriber without queueing
 * anywhere.
 */
final class RetainedReplay {
    private static final int BATCH = 200;
    private static final Message[] NOTHING = new Message[0];

    private final Subscription subscription;
    private final int batchMax;

    // Store's shard.
    private final RetainedScan scan;

    // Session's shard.
    boolean asked = true;
    private boolean known;
    private volatile boolean cancelled;

    /**
     * @param qos0SoftLimit a batch is no larger, so that a slow subscriber misses nothing of it
     */
    RetainedReplay(Subscription subscription, RetainedScan scan, int qos0SoftLimit) {
        this.subscription = subscription;
        this.batchMax = qos0SoftLimit == 0 ? BATCH : Math.min(BATCH, qos0SoftLimit);
        this.scan = scan;
    }

    Subscriber session() {
        return (Subscriber) subscription.session;
    }

    /** Tells the session to ask for the replay when it has room; behind the SUBACK, where it is. */
    void announce(Shard at) {
        at.send(session().owner(), new ReplayMail.Replay(this, NOTHING, false));
    }

    /** Looks for the next batch, in slices; on the retained store's shard. */
    void sendBatch(Shard at) {
        at.slice(() -> collect(at));
    }

    /**
     * Looks through one slice and sends what it finds: between two slices a newer message of the
     * same topic may go out live, and nothing older may follow it.
     *
     * @return true when a batch was sent
     */
    private boolean collect(Shard at) {
        if (cancelled) {
            return true;
        }
        List<Message> batch = new ArrayList<>();
        // One step yields one message at the most, so a slice never overfills the batch.
        scan.next(
                batchMax,
                at.sureMs(),
                retained -> {
                    // What was published after the subscription was added went out live.
                    if (retained.version() < subscription.addedAt()) {
                        batch.add(retained.message());
                    }
                });
        boolean last = scan.isDone();
        if (!last && batch.isEmpty()) {
            return false;
        }
        at.send(
                session().owner(),
                new ReplayMail.Replay(this, batch.toArray(new Message[0]), last));
        return true;
    }

    /** Delivers a batch; on the session's shard. */
    void onBatch(Shard at, Message[] messages, boolean last) {
        Subscriber session = session();
        if (session.isEnded() || session.subscriptions().get(subscription.filter) == null) {
            cancelled = true; // [MQTT-3.10.4-2]
            session.subscriptions().removeReplay(this);
            session.pump();
        }
        if (cancelled) {
            return;
        }
        for (Message message : messages) {
            if (!message.isExpired(at.sureMs())) {
                deliver(session, message);
            }
        }
        asked = false;
        if (last) {
            session.subscriptions().removeReplay(this);
        } else if (!known) {
            known = true;
            session.subscriptions().addReplay(this);
        }
        session.pump();
    }

    private void deliver(Subscriber session, Message message) {
        if (subscription.forPublisher(message.publisher) != null) { // [MQTT-3.8.3-3] No Local
            session.deliver(
                    message, Math.min(message.qos, subscription.qos), true, subscription.ids, null);
        }
    }

    boolean isOf(TopicFilter filter) {
        return subscription.filter.equals(filter);
    }

    TopicFilter filter() {
        return subscription.filter;
    }

    /** Asks for the next batch, once, now that the session has room. */
    void wantMore(Shard at) {
        if (!asked) {
            asked = true;
            if (at.index() == TopicIndex.OWNER) {
                // As a slice: a call would come back here, deeper with every batch.
                at.slice(() -> {
                    sendBatch(at);
                    return true;
                });
            } else {
                at.send(TopicIndex.OWNER, new ReplayMail.More(this));
            }
        }
    }

    void cancel() {
        cancelled = true;
    }
}
