package io.godwit.cluster.registration;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.connection.Placement;
import io.godwit.core.takeover.ClaimingUser;
import io.godwit.core.time.Timer;
import org.jspecify.annotations.Nullable;

/** One CONNECT that waits for its place; {@link EdgePlacement} leads it through its states. */
final class EdgeQuestion extends Timer implements Placement.Question {
    /** What the question waits for. */
    enum State {
        /** A leader that is in reach. */
        LEADER,
        /** The leader's answer. */
        ANSWER,
        /** The leader to open the connection. */
        OPENING,
        /** Some time, since a node that was held for the leader says it is none. */
        PAUSE,
        /** Nothing: it is answered or withdrawn. */
        DONE
    }

    /** Names it; another one each time it is asked anew. */
    long number;

    final int slot;
    final AuthenticatedConnect connect;
    final Placement.Asking asking;

    /** Names the user of the connection; null: sessions are anyone's. */
    final @Nullable ClaimingUser by;

    private final EdgePlacement placement;

    State state = State.LEADER;

    /** Who is asked, or opens the connection. */
    @Nullable Leader asked;

    RemoteOpener.@Nullable Opening opening;

    /** When it is refused if the leader is out of reach then. */
    long deadlineMs;

    long timerMs;

    EdgeQuestion(
            EdgePlacement placement,
            long number,
            AuthenticatedConnect connect,
            @Nullable ClaimingUser by,
            Placement.Asking asking) {
        this.placement = placement;
        this.number = number;
        this.slot = connect.clientId().slot();
        this.connect = connect;
        this.by = by;
        this.asking = asking;
    }

    /** Whether a stand-in of the leader may grant it: nothing is to be continued. */
    boolean mayBeStoodIn() {
        return !connect.isDurable() && connect.connect().cleanStart();
    }

    boolean isAskedAt(NodeStart node) {
        Leader leader = asked;
        return leader != null && leader.node().equals(node);
    }

    @Override
    public void withdraw() {
        placement.withdraw(this);
    }

    @Override
    protected void onTimer(long nowMs) {
        placement.onTimer(this, nowMs);
    }
}
