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
 * <p>It waits for this node alone. Followers have the id since before the message was routed, and
 * what else they are to confirm may need what stands behind it in the stream: who leads which slot.
 */
final class HeldUntilKept extends Mail {
    private final Runnable release;
    private final int streamShard;
    private final int last;
    private boolean isKept;

    private HeldUntilKept(Runnable release, int streamShard, int last) {
        this.release = release;
        this.streamShard = streamShard;
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
        here.send(first, new HeldUntilKept(stream.hold(), here.index(), last));
    }

    @Override
    protected boolean handle(Shard at, int from) {
        if (isKept) {
            release.run();
            return true;
        }
        at.afterCommitHere(durable -> {
            if (durable) {
                isKept = at.index() == last;
                at.send(isKept ? streamShard : at.index() + 1, this);
            }
        });
        return true;
    }
}
