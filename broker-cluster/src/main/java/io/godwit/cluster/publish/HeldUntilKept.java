package io.godwit.cluster.publish;

import io.godwit.cluster.stream.OutStream;
import io.godwit.core.ack.Receipt;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;

/**
 * Holds the last message of a stream until its ingress id is kept under the publisher's packet id.
 * No other node may have it before: after a crash it would get another id. Goes to the shard where
 * the message came in, waits there, and comes back. Where nobody knows which one that is, it goes
 * to each: the commit with the id was closed before the message left its shard.
 *
 * <p>Followers are waited for, too, but not in the shared stream: they confirm when they know who
 * leads which slot, which is told behind it. They have the id of a PUBLISH before it is routed, but
 * perhaps not the record of a Will.
 */
final class HeldUntilKept extends Mail {
    private final Runnable release;
    private final int streamShard;
    private final boolean waitsForFollowers;
    private final int last;
    private boolean isKept;

    private HeldUntilKept(OutStream stream, int streamShard, int last) {
        this.release = stream.hold();
        this.streamShard = streamShard;
        this.waitsForFollowers = !stream.isShared();
        this.last = last;
    }

    /**
     * @param here the stream's shard. It may have nothing to commit: that says nothing of others
     * @param cameInAt see {@link Receipt#shard}
     */
    static void hold(OutStream stream, Shard here, int cameInAt) {
        boolean isKnown = cameInAt != Receipt.ANY_SHARD;
        int first = isKnown ? cameInAt : 0;
        int last = isKnown ? cameInAt : here.shards() - 1;
        here.send(first, new HeldUntilKept(stream, here.index(), last));
    }

    @Override
    protected boolean handle(Shard at, int from) {
        if (isKept) {
            release.run();
            return true;
        }
        if (waitsForFollowers) {
            at.afterCommit(durable -> goOn(at, durable));
        } else {
            at.afterCommitHere(durable -> goOn(at, durable));
        }
        return true;
    }

    private void goOn(Shard at, boolean durable) {
        if (durable) {
            isKept = at.index() == last;
            at.send(isKept ? streamShard : at.index() + 1, this);
        }
    }
}
