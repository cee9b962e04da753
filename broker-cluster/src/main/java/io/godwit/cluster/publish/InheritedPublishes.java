package io.godwit.cluster.publish;

import io.godwit.core.id.IngressId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * Holds publishes of QoS 2 that may be sent again by way of another node than the one where they
 * came in. Their publishers' sessions are in a store that was imported, so it has another server id
 * now, or another node has adopted them. Here are those that this node has inherited, and those of
 * which another one has told that it has. They are kept until somebody says that they are over, or
 * until there are too many: then the oldest is forgotten, and delivered twice if it is sent again.
 *
 * <p>On the shard that owns the topic index, but where it says otherwise.
 */
final class InheritedPublishes {
    /** As many as one client can have published without PUBREL. */
    static final int MAX = 65_536;

    /** Ids of one record. */
    private static final int PIECE = 1_000;

    private final LinkedHashSet<IngressId> publishes = new LinkedHashSet<>();

    /** Written by its shard, read by any. */
    private volatile boolean some;

    /** Whether there are any; any thread asks. */
    boolean isSome() {
        return some;
    }

    /**
     * @return whether the oldest is forgotten for it
     */
    boolean add(IngressId publish) {
        boolean isOneMore = publishes.add(publish) && publishes.size() > MAX;
        if (isOneMore) {
            publishes.removeFirst();
        }
        some = true;
        return isOneMore;
    }

    void remove(IngressId publish) {
        publishes.remove(publish);
        some = !publishes.isEmpty();
    }

    boolean has(IngressId publish) {
        return publishes.contains(publish);
    }

    /** Those that came in at one node, in some pieces. */
    List<IngressId[]> of(int server) {
        return pieces(publishes, server);
    }

    /** Returns all, in pieces of one record each. */
    List<IngressId[]> all() {
        return pieces(publishes);
    }

    /** The ids of one node among some, in pieces of one record each. Any thread. */
    static List<IngressId[]> pieces(Collection<IngressId> some, int server) {
        return pieces(some.stream().filter(each -> each.server() == server).toList());
    }

    /** Divides ids into pieces of one record each. Any thread. */
    static List<IngressId[]> pieces(Collection<IngressId> some) {
        List<IngressId[]> pieces = new ArrayList<>(0);
        List<IngressId> piece = new ArrayList<>(0);
        for (IngressId publish : some) {
            piece.add(publish);
            if (piece.size() == PIECE) {
                pieces.add(piece.toArray(new IngressId[0]));
                piece.clear();
            }
        }
        if (!piece.isEmpty()) {
            pieces.add(piece.toArray(new IngressId[0]));
        }
        return pieces;
    }
}
