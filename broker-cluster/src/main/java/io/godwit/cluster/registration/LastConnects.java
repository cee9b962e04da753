package io.godwit.cluster.registration;

import io.godwit.core.packet.ClientId;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Remembers when the last CONNECT of each client id was sent, as long as an earlier one may be on
 * its way to this node: a link may have held that back. So the later CONNECT wins, whichever comes
 * first.
 *
 * <p>Times are those of this node's monotonic clock. One that has come from another node is never
 * before the CONNECT, and later by what a frame takes ({@code PeerLink.localMs}). So a CONNECT that
 * its client has sent after another one was served is never held for the older of both, whatever
 * the wall clocks of their nodes say.
 */
final class LastConnects {
    /**
     * CONNECTs that were sent so close to each other are served in the order in which they come.
     */
    static final long TOGETHER_MS = 100;

    /** Bytes of an entry beside the text of its client id, rounded up. */
    static final long ENTRY_BYTES = 180;

    /** Client ids that are remembered at most; the one that was seen first goes first. */
    static final int IDS_MAX = 50_000;

    private static final long PRUNE_MS = 1000;

    private record Last(long connectedMs, long seenMs) {}

    private final long rememberedMs;
    private final ShardTurns turns;

    /** The one that was seen first is the first. */
    private final Map<ClientId, Last> all = new LinkedHashMap<>();

    private final SlotCheck pruning;
    private long bytes;

    LastConnects(RegistrationTimes times, ShardTurns turns) {
        this.rememberedMs = times.connectAgeMaxMs();
        this.turns = turns;
        this.pruning = new SlotCheck(turns, PRUNE_MS, this::prune);
    }

    /**
     * Whether a CONNECT is to be served: no later one of its client id has come, and it is not so
     * old that its node has given it up. It is remembered then.
     */
    boolean admit(ClientId clientId, long connectedMs) {
        long nowMs = turns.nowMs();
        Last last = all.get(clientId);
        boolean isOlder = last != null && connectedMs < last.connectedMs - TOGETHER_MS;
        if (isOlder || nowMs - connectedMs > rememberedMs) {
            return false;
        }
        all.remove(clientId);
        long latestMs = last == null ? connectedMs : Math.max(connectedMs, last.connectedMs);
        all.put(clientId, new Last(latestMs, nowMs));
        if (last == null) {
            bytes += bytes(clientId);
        }
        if (all.size() > IDS_MAX) {
            removeFirst();
        }
        pruning.begin();
        return true;
    }

    /**
     * Forgets CONNECTs than which no older one is served any more. Returns whether some are left.
     */
    private boolean prune() {
        long nowMs = turns.nowMs();
        while (!all.isEmpty() && nowMs - first().getValue().seenMs > rememberedMs) {
            removeFirst();
        }
        return !all.isEmpty();
    }

    private Map.Entry<ClientId, Last> first() {
        return all.entrySet().iterator().next();
    }

    private void removeFirst() {
        Iterator<ClientId> ids = all.keySet().iterator();
        bytes -= bytes(ids.next());
        ids.remove();
    }

    /** Counts the bytes of what is remembered, for the account of memory. */
    long bytes() {
        return bytes;
    }

    private static long bytes(ClientId clientId) {
        return ENTRY_BYTES + clientId.length();
    }
}
