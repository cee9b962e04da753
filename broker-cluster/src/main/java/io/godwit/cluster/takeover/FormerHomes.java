package io.godwit.cluster.takeover;

import io.godwit.cluster.takeover.TakeoverMessage.Dropped;
import io.godwit.cluster.takeover.TakeoverMessage.Whole;
import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What former homes still keep of the sessions of this node. It goes in the order in which they
 * gave it: while one of them keeps something, the next one says to whom it went from there. Else
 * the copy of a node that was out of reach could be taken for the session.
 */
final class FormerHomes {
    private final LocalSessions sessions;
    private final Out out;

    /** The oldest first. */
    private final Map<ClientId, List<Former>> former = new HashMap<>();

    /** Those of which not everything is here. */
    private final Set<ClientId> filling = new HashSet<>();

    FormerHomes(LocalSessions sessions, Out out) {
        this.sessions = sessions;
        this.out = out;
    }

    void put(ClientId clientId, List<Former> of, boolean isFilling) {
        if (!of.isEmpty()) {
            former.put(clientId, new ArrayList<>(of));
            if (isFilling) {
                filling.add(clientId);
            }
            next(clientId);
        }
    }

    List<Former> of(ClientId clientId) {
        return List.copyOf(former.getOrDefault(clientId, List.of()));
    }

    /** The number of the last grant that brought a session here; 0 when no former home has any. */
    long changes(ClientId clientId) {
        List<Former> all = former.get(clientId);
        return all == null ? 0 : all.getLast().changes();
    }

    Set<ClientId> clientIds() {
        return former.keySet();
    }

    /** Everything is here, durably, of what came for that grant. */
    void whole(ClientId clientId, long changes) {
        if (changes(clientId) == changes) {
            whole(clientId);
        }
    }

    /** The same; or the session has ended, and nothing of it is wanted. */
    void whole(ClientId clientId) {
        filling.remove(clientId);
        next(clientId);
    }

    /** The session went on, and what its former homes keep with it. */
    void leave(ClientId clientId) {
        former.remove(clientId);
        filling.remove(clientId);
    }

    private void next(ClientId clientId) {
        List<Former> all = former.get(clientId);
        if (all != null && !(all.size() == 1 && filling.contains(clientId))) {
            out.send(all.getFirst().server(), new Whole(clientId, all.getFirst().changes()));
        }
    }

    /** What was said to that node may be lost. */
    void linked(int server) {
        for (Map.Entry<ClientId, List<Former>> each : former.entrySet()) {
            if (each.getValue().getFirst().server() == server) {
                next(each.getKey());
            }
        }
    }

    /**
     * @return whether nobody keeps anything of it any more
     */
    boolean dropped(int from, Dropped dropped) {
        ClientId clientId = dropped.clientId();
        List<Former> all = former.get(clientId);
        Former gone = new Former(from, dropped.changes());
        if (all == null || !all.getFirst().equals(gone)) {
            return false;
        }
        all.removeFirst();
        sessions.dropped(clientId, gone);
        if (all.isEmpty()) {
            former.remove(clientId);
            return true;
        }
        next(clientId);
        return false;
    }
}
