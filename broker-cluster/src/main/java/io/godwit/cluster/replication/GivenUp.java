package io.godwit.cluster.replication;

import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.PeerLink;
import org.jspecify.annotations.Nullable;

/**
 * A node that was given up as a follower. It is not chosen again for a while, unless nobody else is
 * there and it is heard again: by another link, by a link that was silent, or since it confirms
 * more of the stream that has ended.
 */
final class GivenUp {
    private final long untilMs;
    private final long start;
    private final long confirmed;

    /** The link by which nothing was heard; null: it has been heard since, or there was none. */
    private @Nullable PeerLink unheard;

    /**
     * @param stream that ends
     * @param link to the node; null for none
     * @param untilMs it is not chosen while others are there, in the leader's running time
     */
    GivenUp(CopyStream stream, @Nullable PeerLink link, long untilMs) {
        this.untilMs = untilMs;
        start = stream.start;
        confirmed = stream.confirmed();
        unheard = link != null && link.state() == LinkState.UP ? link : null;
    }

    /** Takes what the node says of a stream that is not, or not any more, its own. */
    void onAt(long ofStart, long confirmedNow) {
        if (ofStart == start && confirmedNow > confirmed) {
            unheard = null;
        }
    }

    /** Whether it may be chosen although others are there. */
    boolean isOver(long ranMs) {
        return untilMs <= ranMs;
    }

    /** Whether it was heard again, by a link that is up. */
    boolean isHeard(PeerLink link) {
        return link != unheard;
    }
}
