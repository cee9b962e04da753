package io.godwit.core.load;

import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import java.util.function.LongSupplier;

/**
 * One shard's view of the mailboxes: while any shard is behind with its mail, nobody who publishes
 * is read.
 */
public final class MailboxBrake {
    private final Shard shard;
    private final ShardLoad load;
    private final MailboxMarks marks;
    private final LongSupplier mailboxBytes;
    private final Runnable whenReleased;
    private MailboxBrake[] peers = new MailboxBrake[0];

    /**
     * @param mailboxBytes bytes of the mail that is under way to this shard
     * @param whenReleased lets publishers go on that waited; called on the shard's thread
     */
    public MailboxBrake(
            Shard shard,
            ShardLoad load,
            MailboxMarks marks,
            LongSupplier mailboxBytes,
            Runnable whenReleased) {
        this.shard = shard;
        this.load = load;
        this.marks = marks;
        this.mailboxBytes = mailboxBytes;
        this.whenReleased = whenReleased;
    }

    /** Called once, with those of all shards, before anything else. */
    public void connect(MailboxBrake[] all) {
        peers = all;
    }

    /**
     * Notes that mail was posted to a shard.
     *
     * @param depth messages that are under way to that shard now
     * @param bytes their bytes
     */
    public void onPosted(int to, long depth, long bytes) {
        if (marks.onPosted(to, depth, bytes)) {
            load.peerBehind(true);
        }
    }

    /** Called when some mail of this shard was handled: if it was behind, the others may go on. */
    public void onMailHandled() {
        if (marks.hasCaughtUp(shard.index(), shard.mailboxDepth(), mailboxBytes.getAsLong())) {
            for (int i = 0; i < peers.length; i++) {
                shard.send(i, new Drained(peers[i]));
            }
        }
    }

    private void onDrained() {
        load.peerBehind(marks.isAnyBehind());
        if (!load.isPeerBehind()) {
            whenReleased.run();
        }
    }

    /** Tells every shard that a mailbox that was behind is not any more. */
    private static final class Drained extends Mail {
        private final MailboxBrake to;

        Drained(MailboxBrake to) {
            this.to = to;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            to.onDrained();
            return true;
        }
    }
}
