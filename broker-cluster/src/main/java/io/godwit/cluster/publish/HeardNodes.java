package io.godwit.cluster.publish;

import io.godwit.cluster.transport.PeerLink;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Nodes with a link by which something is heard, as the links themselves know it: before the mail
 * that tells the shards. So what a node says of its filters never comes to a shard that still takes
 * the node for unreachable here.
 */
public final class HeardNodes {
    private final Map<Integer, PeerLink> links = new ConcurrentHashMap<>();

    /** Notes that something is heard by a link; before anything that came by it is handled. */
    public void heard(PeerLink link) {
        links.put(link.peer().server(), link);
    }

    /** Notes that nothing is heard by a link any more. */
    public void lost(PeerLink link) {
        links.remove(link.peer().server(), link);
    }

    /** Whether something is heard of a node; any thread asks. */
    public boolean hears(int server) {
        return links.containsKey(server);
    }
}
