package io.godwit.cluster.registration;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.Will;
import io.godwit.core.takeover.ClaimingUser;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A client id at the leader: the transient connections of it at other nodes, and who claims it.
 * Many entries exist, one for each registered connection: hence no list for the first one. There
 * are more when a new leader hears of one whose publishes are not answered yet, and of its
 * successor.
 */
final class RegistryEntry {
    private record Holder(
            NodeStart edge, long number, @Nullable Will will, @Nullable String owner) {
        boolean is(NodeStart node, long connection) {
            return number == connection && edge.equals(node);
        }
    }

    private @Nullable NodeStart edge;
    private long number;
    private @Nullable Will will;

    /** The user whose connection it is; null: nobody's. */
    private @Nullable String owner;

    private @Nullable List<Holder> others;

    /** Who claims it now; null: nobody. */
    @Nullable EntryClaims claims;

    /** Returns the node of its first connection; null: it has none. */
    @Nullable NodeStart edge() {
        return edge;
    }

    boolean hasHolder() {
        return edge != null;
    }

    /** Counts the connections but the first one. */
    int others() {
        List<Holder> more = others;
        return more == null ? 0 : more.size();
    }

    boolean isHeldBy(NodeStart node, long connection) {
        if (number == connection && node.equals(edge)) {
            return true;
        }
        List<Holder> more = others;
        if (more != null) {
            for (Holder each : more) {
                if (each.is(node, connection)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether it has connections that are not at a node. */
    boolean isHeldBesides(NodeStart node) {
        if (edge != null && !edge.equals(node)) {
            return true;
        }
        List<Holder> more = others;
        return more != null && more.stream().anyMatch(each -> !each.edge.equals(node));
    }

    /** Whether none of its connections is another user's. */
    boolean mayBeTaken(ClaimingUser by) {
        if (!by.mayTake(owner)) {
            return false;
        }
        List<Holder> more = others;
        if (more != null) {
            for (Holder each : more) {
                if (!by.mayTake(each.owner)) {
                    return false;
                }
            }
        }
        return true;
    }

    void add(NodeStart node, long connection, @Nullable Will willOfIt, @Nullable String ownerOfIt) {
        if (edge == null) {
            edge = node;
            number = connection;
            will = willOfIt;
            owner = ownerOfIt;
            return;
        }
        List<Holder> more = others;
        if (more == null) {
            more = new ArrayList<>(1);
            others = more;
        }
        more.add(new Holder(node, connection, willOfIt, ownerOfIt));
    }

    void remove(NodeStart node, long connection) {
        List<Holder> more = others;
        if (more != null) {
            more.removeIf(each -> each.is(node, connection));
        }
        if (number == connection && node.equals(edge)) {
            removeFirst();
        }
    }

    /** Removes the connections at some nodes. */
    void removeAt(Predicate<NodeStart> nodes) {
        List<Holder> more = others;
        if (more != null) {
            for (Iterator<Holder> each = more.iterator(); each.hasNext(); ) {
                if (nodes.test(each.next().edge)) {
                    each.remove();
                }
            }
        }
        NodeStart first = edge;
        if (first != null && nodes.test(first)) {
            removeFirst();
        }
    }

    /** Removes the connections at a shard of a node: their numbers tell the shard. */
    void removeOf(NodeStart node, int shard, int shards) {
        List<Holder> more = others;
        if (more != null) {
            more.removeIf(each -> each.edge.equals(node) && each.number % shards == shard);
        }
        if (node.equals(edge) && number % shards == shard) {
            removeFirst();
        }
    }

    private void removeFirst() {
        edge = null;
        number = 0;
        will = null;
        owner = null;
        List<Holder> more = others;
        if (more != null) {
            others = null;
            more.forEach(each -> add(each.edge, each.number, each.will, each.owner));
        }
    }

    /** Makes a connection nobody's. */
    void disown(NodeStart node, long connection) {
        Holder of = holder(node, connection);
        if (of != null) {
            remove(node, connection);
            add(node, connection, of.will, null);
        }
    }

    private @Nullable Holder holder(NodeStart node, long connection) {
        if (number == connection && node.equals(edge)) {
            return new Holder(node, connection, will, owner);
        }
        List<Holder> more = others;
        if (more != null) {
            for (Holder each : more) {
                if (each.is(node, connection)) {
                    return each;
                }
            }
        }
        return null;
    }

    // ---------------------------------------------------------------- its wills

    /** Bytes of the wills of its connections, and of the names of their users. */
    long bytes() {
        long bytes = bytes(will, owner);
        List<Holder> more = others;
        if (more != null) {
            for (Holder each : more) {
                bytes += bytes(each.will, each.owner);
            }
        }
        return bytes;
    }

    private static long bytes(@Nullable Will of, @Nullable String name) {
        return (of == null ? 0 : of.accountedBytes()) + ClaimingUser.accountedBytes(name);
    }

    boolean hasWill(NodeStart node, long connection) {
        Holder of = holder(node, connection);
        return of != null && of.will != null;
    }

    /** Whether a connection at one of some nodes has a will. */
    boolean hasWillAt(Predicate<NodeStart> nodes) {
        if (will != null && edge != null && nodes.test(edge)) {
            return true;
        }
        List<Holder> more = others;
        return more != null
                && more.stream().anyMatch(each -> each.will != null && nodes.test(each.edge));
    }

    /** Takes the will of a connection away from it. Returns it; null: it has none. */
    @Nullable Will takeWill(NodeStart node, long connection) {
        Holder of = holder(node, connection);
        if (of == null || of.will == null) {
            return null;
        }
        remove(node, connection);
        add(node, connection, null, of.owner);
        return of.will;
    }

    void forEachHolder(BiConsumer<NodeStart, Long> task) {
        NodeStart first = edge;
        if (first != null) {
            task.accept(first, number);
        }
        List<Holder> more = others;
        if (more != null) {
            more.forEach(each -> task.accept(each.edge, each.number));
        }
    }
}
