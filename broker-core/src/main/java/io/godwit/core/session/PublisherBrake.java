package io.godwit.core.session;

import io.godwit.core.load.MailboxMarks;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;

/** Which publishers of a shard have to wait, and until when (design section 10). */
final class PublisherBrake {
    private final SessionShard shard;
    private final ShardLoad load;
    private final MailboxMarks mailboxes;
    private final PausedConnections paused;

    private final SlowSubscribers slowSubscribers;

    PublisherBrake(SessionShard shard, ShardLoad load, MailboxMarks mailboxes) {
        this.shard = shard;
        this.load = load;
        this.mailboxes = mailboxes;
        this.paused = new PausedConnections(shard);
        this.slowSubscribers = new SlowSubscribers(shard);
    }

    /**
     * Whether this publisher's socket is left unread. During an alarm one that also has messages in
     * flight towards it stays read, so that its acknowledgements get through; its PUBLISHes are
     * parked.
     */
    boolean stops(Session publisher) {
        return load.isPeerBehind() || load.isAlarm() && publisher.inFlightCount() == 0;
    }

    /** The connection waits: it is looked at again when something has eased. */
    void watch(ClientConnection connection) {
        paused.add(connection);
    }

    void unwatch(ClientConnection connection) {
        paused.remove(connection);
        slowSubscribers.speedUp(connection);
    }

    /** With soft limit 0: whom publishers wait for. */
    SlowSubscribers slowSubscribers() {
        return slowSubscribers;
    }

    void onTick() {
        // Its mail may have been handled before it was marked.
        onMailHandled();
        paused.recheck();
    }

    // ---------------------------------------------------------------- mailboxes
    /**
     * Mail was posted to a shard.
     *
     * @param depth messages that are under way to it now
     */
    void onPosted(int to, long depth) {
        if (mailboxes.onPosted(to, depth)) {
            load.peerBehind(true);
        }
    }

    /** Some mail of this shard was handled: if it was behind, the others may go on. */
    void onMailHandled() {
        if (mailboxes.hasCaughtUp(shard.index(), shard.mailboxDepth())) {
            for (int i = 0; i < shard.shards(); i++) {
                shard.send(i, new Drained());
            }
        }
    }

    private void onDrained() {
        load.peerBehind(mailboxes.isAnyBehind());
        if (!load.isPeerBehind()) {
            paused.recheck();
        }
    }

    /** To everyone: a mailbox that was behind is not any more. */
    private static final class Drained extends Mail {
        @Override
        protected boolean handle(Shard at, int from) {
            ((SessionShard) at).brake().onDrained();
            return true;
        }
    }
}
