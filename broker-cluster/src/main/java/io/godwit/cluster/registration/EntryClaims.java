package io.godwit.cluster.registration;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Will;
import io.godwit.core.takeover.ClaimingUser;
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

        /** The will of the connection; null: none. */
        final @Nullable Will will;

        /** Names the user of the connection; null: sessions are anyone's. */
        final @Nullable ClaimingUser by;

        boolean isWithdrawn;

        Claim(
                NodeStart edge,
                long number,
                boolean cleanStart,
                long sinceMs,
                @Nullable Will will,
                @Nullable ClaimingUser by) {
            this.edge = edge;
            this.number = number;
            this.cleanStart = cleanStart;
            this.sinceMs = sinceMs;
            this.will = will;
            this.by = by;
        }

        /** Bytes of its will and of the name of its user. */
        long bytes() {
            return RegistryEntries.bytes(will, by);
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

    /** Bytes of the wills and user names of the connections that claim it. */
    long bytes() {
        Claim now = current;
        long bytes = now == null ? 0 : now.bytes();
        for (Claim each : waiting) {
            bytes += each.bytes();
        }
        return bytes;
    }

    /** Whether a connection that is not at a node claims it. */
    boolean isOfOtherThan(NodeStart node) {
        Claim now = current;
        return now != null && !now.edge.equals(node)
                || waiting.stream().anyMatch(each -> !each.edge.equals(node));
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
