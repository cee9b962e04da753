package io.godwit.core.connection;

import io.godwit.core.session.Session;
import io.godwit.core.takeover.Claimant;
import org.jspecify.annotations.Nullable;

/**
 * Claims a client id for a connection that stays at this node, and notes when that has come to its
 * end.
 */
final class PlacedClaim implements Claimant {
    private final Claimant connection;
    private final Placement.Stay stay;
    private boolean isOver;

    /** Waits for the end of the claim, since the connection has ended. */
    private @Nullable StayEnd next;

    PlacedClaim(Claimant connection, Placement.Stay stay) {
        this.connection = connection;
        this.stay = stay;
    }

    @Override
    public @Nullable Session granted(@Nullable Session existing) {
        Session now = connection.granted(existing);
        end();
        return now;
    }

    @Override
    public void withdrawn() {
        end();
    }

    @Override
    public void kept() {
        connection.kept();
        end();
    }

    private void end() {
        isOver = true;
        stay.claimed();
        if (next != null) {
            next.begin();
        }
    }

    /** Begins with the end of the stay once the claim has come to its own. */
    void before(StayEnd end) {
        if (isOver) {
            end.begin();
        } else {
            next = end;
        }
    }
}
