package io.godwit.cluster.registration;

import io.godwit.cluster.transport.NodeStart;
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
    private record Holder(NodeStart edge, long number) {}

    private @Nullable NodeStart edge;
    private long number;
    private @Nullable List<Holder> others;

    /** Who claims it now; null: nobody. */
    @Nullable EntryClaims claims;

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
        return more != null && more.contains(new Holder(node, connection));
    }

    void add(NodeStart node, long connection) {
        if (edge == null) {
            edge = node;
            number = connection;
            return;
        }
        List<Holder> more = others;
        if (more == null) {
            more = new ArrayList<>(1);
            others = more;
        }
        more.add(new Holder(node, connection));
    }

    void remove(NodeStart node, long connection) {
        List<Holder> more = others;
        if (more != null) {
            more.remove(new Holder(node, connection));
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
        List<Holder> more = others;
        if (more != null) {
            others = null;
            more.forEach(each -> add(each.edge, each.number));
        }
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
