package io.godwit.cluster.registration;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import io.godwit.core.time.Timer;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/** The claims of one client id, in the order in which they came. */
final class EntryClaims extends Timer {
    /** What the current claim waits for. */
    enum Phase {
        /** The end of the connection that has the client id at another node. */
        END,
        /** The registrar of this node, to end or find what is here. */
        REGISTRAR,
        /** The claim of a connection of this node at its registrar. */
        CONNECTION
    }

    /** One connection's claim. */
    static final class Claim {
        final NodeStart edge;
        final long number;
        final boolean cleanStart;
        final long sinceMs;
        boolean isWithdrawn;

        Claim(NodeStart edge, long number, boolean cleanStart, long sinceMs) {
            this.edge = edge;
            this.number = number;
            this.cleanStart = cleanStart;
            this.sinceMs = sinceMs;
        }

        boolean isOf(NodeStart node, long connection) {
            return number == connection && edge.equals(node);
        }
    }

    final ClientId clientId;
    final RegistryEntry entry;
    final ArrayDeque<Claim> waiting = new ArrayDeque<>(2);
    private final ClientIdClaims all;

    /** Being served; null: all wait until the slot may be granted from. */
    @Nullable Claim current;

    Phase phase = Phase.END;
    long deadlineMs;

    /** Bytes that the account has for it. */
    long charged;

    EntryClaims(ClientIdClaims all, ClientId clientId, RegistryEntry entry) {
        this.all = all;
        this.clientId = clientId;
        this.entry = entry;
    }

    /** Counts the claims. */
    int size() {
        return waiting.size() + (current == null ? 0 : 1);
    }

    boolean isEmpty() {
        return current == null && waiting.isEmpty();
    }

    boolean isCurrent(NodeStart node, long number) {
        Claim now = current;
        return now != null && now.isOf(node, number);
    }

    boolean waitsFor(Phase which) {
        return current != null && phase == which;
    }

    /** Removes a claim that waits. */
    boolean removeWaiting(NodeStart node, long number) {
        for (Iterator<Claim> each = waiting.iterator(); each.hasNext(); ) {
            if (each.next().isOf(node, number)) {
                each.remove();
                return true;
            }
        }
        return false;
    }

    @Override
    protected void onTimer(long nowMs) {
        all.onTimer(this, nowMs);
    }
}
