package io.godwit.core.load;

import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import io.godwit.core.time.TimeSource;

/**
 * One shard's view of what large fan-outs have under way to the shards: while one of them is
 * crowded, those who publish to many, here, are not read.
 *
 * <p>A flood of fan-outs fills mailboxes to the mark at which nobody is read who publishes, {@link
 * MailboxBrake}, and whoever else has mail in them waits behind all of that. So those who fill them
 * wait first, and early.
 */
public final class CrowdBrake {
    private final Shard shard;
    private final ShardLoad load;
    private final CrowdMarks marks;
    private final CrowdPace pace;
    private final TimeSource time;
    private final Runnable whenReleased;
    private long handledAtNanos;

    /** Whether more was under way when something was last handled: then it tells the pace. */
    private boolean isMoreUnderWay;

    private CrowdBrake[] peers = new CrowdBrake[0];

    /**
     * @param whenReleased lets publishers go on that waited; called on the shard's thread
     */
    public CrowdBrake(
            Shard shard, ShardLoad load, CrowdMarks marks, TimeSource time, Runnable whenReleased) {
        this.shard = shard;
        this.load = load;
        this.marks = marks;
        this.pace = marks.newPace();
        this.time = time;
        this.whenReleased = whenReleased;
    }

    /** Called once, with those of all shards, before anything else. */
    public void connect(CrowdBrake[] all) {
        peers = all;
    }

    /**
     * Notes messages of a large fan-out for another shard, before they are sent.
     *
     * @return told there that they were handled
     */
    public CrowdBrake onSent(int to, int messages) {
        if (marks.add(to, messages)) {
            load.crowded(true);
        }
        return peers[to];
    }

    /** Notes that messages of a large fan-out were handled here. */
    public void onHandled(int messages) {
        long now = time.nanos();
        if (isMoreUnderWay && pace.took(now - handledAtNanos, messages)) {
            marks.mark(shard.index(), pace.mark());
        }
        handledAtNanos = now;
        long left = marks.handled(shard.index(), messages);
        isMoreUnderWay = left > 0;
        if (marks.hasCaughtUp(shard.index(), left)) {
            for (int i = 0; i < peers.length; i++) {
                shard.send(i, new CaughtUp(peers[i]));
            }
        }
    }

    private void onCaughtUp() {
        load.crowded(marks.isAnyCrowded());
        if (!load.isCrowded()) {
            whenReleased.run();
        }
    }

    /** Tells every shard that one that was crowded is not any more. */
    private static final class CaughtUp extends Mail {
        private final CrowdBrake to;

        CaughtUp(CrowdBrake to) {
            this.to = to;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            to.onCaughtUp();
            return true;
        }
    }
}
