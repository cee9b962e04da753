package io.godwit.cluster.registration;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.connection.Placement;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Will;
import io.godwit.core.session.WillKeeper;
import io.godwit.core.takeover.ClaimingUser;
import io.godwit.core.time.Timer;
import org.jspecify.annotations.Nullable;

/** A connection that goes on at this node: one with Session Expiry 0, or a claim under way. */
final class EdgeStay implements Placement.Stay {
    /** Bytes with its place in the table, its client id not counted: that is the session's. */
    static final long BYTES = 150;

    private static final long ENDING_BYTES = 70;

    final ClientId clientId;
    final long number;
    final boolean isDurable;
    final Placement.Asking asking;
    private final EdgePlacement placement;

    /** Clock of the stamp with which a stand-in has granted it; 0: a leader has granted it. */
    final long grantedAt;

    /** Whether the leader knows of it, who has granted it or was told since. */
    boolean isKnownToLeader;

    /** Names the user of the connection; null: sessions are anyone's. */
    final @Nullable ClaimingUser by;

    /** Its will, which the leader gets with the client id; null: none. */
    final @Nullable Will will;

    /** Its will, which is due; null: it is not. */
    DueWills.@Nullable Due due;

    /** Whether the connection has ended, and its client's publishes are answered. */
    boolean isOver;

    /** Whether those who know of it were told that it has ended. */
    boolean isUnregistered;

    boolean isClaimed;

    /** That it is asked to end for a newer connection. */
    @Nullable Ending ending;

    EdgeStay(EdgePlacement placement, EdgeQuestion question, long grantedAt) {
        this.placement = placement;
        this.clientId = question.connect.clientId();
        this.number = question.number;
        this.isDurable = question.connect.isDurable();
        this.asking = question.asking;
        this.by = question.by;
        this.will = question.connect.connect().will();
        this.grantedAt = grantedAt;
        this.isKnownToLeader = grantedAt == 0;
    }

    /** Bytes that it is charged with. */
    long bytes() {
        return ending == null ? BYTES : BYTES + ENDING_BYTES;
    }

    @Override
    public void claimed() {
        placement.claimed(this);
    }

    @Override
    public boolean pass(ClientId of, Will due, WillKeeper.Passed then) {
        return placement.pass(this, due, then);
    }

    @Override
    public void ended() {
        placement.ended(this);
    }

    /** The wait for the end of a connection that a leader has asked for. */
    static final class Ending extends Timer {
        private final EdgeStay of;

        /** Who has asked last. */
        NodeStart by;

        boolean byStandIn;

        /** Whether the answer has left, since the connection ended or took too long. */
        boolean isAnswered;

        Ending(EdgeStay of, NodeStart by, boolean byStandIn) {
            this.of = of;
            this.by = by;
            this.byStandIn = byStandIn;
        }

        void askedBy(NodeStart node, boolean asStandIn) {
            by = node;
            byStandIn = asStandIn;
        }

        boolean isBy(NodeStart node, boolean asStandIn) {
            return byStandIn == asStandIn && by.equals(node);
        }

        @Override
        protected void onTimer(long nowMs) {
            of.placement.answerEnd(of, this);
        }
    }
}
