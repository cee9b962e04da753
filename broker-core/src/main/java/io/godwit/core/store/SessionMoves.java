package io.godwit.core.store;

import io.godwit.core.id.HybridId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a session's moves between nodes, while any of them is not over. Most sessions
 * have none.
 *
 * @param former homes that still keep something of it, the oldest first
 * @param filling what of the queue has not come from the last of them; null when all of it is here
 * @param given to whom this node has given it; null while it is the home
 * @param stayed number of the grant for which this node has given it before, if messages have come
 *     here since then without a break: until it was back they came for the copy that was kept; 0 =
 *     none, and while there are no former homes
 * @param waited number of the grant for which the session had come to this node then, if what came
 *     directly waited to come round: it does so still, for filters that are older; 0 = it did not
 * @param behind numbers of the grants of those former homes that do not pass on what is oldest:
 *     that comes by the others
 */
public record SessionMoves(
        List<Home> former,
        @Nullable Filling filling,
        @Nullable Given given,
        long stayed,
        long waited,
        Set<Long> behind) {
    public static final SessionMoves NONE = new SessionMoves(List.of(), null, null, 0);

    public SessionMoves {
        former = List.copyOf(former);
        stayed = former.isEmpty() ? 0 : stayed;
        waited = stayed == 0 ? 0 : waited;
        Set<Long> theirs = new TreeSet<>(behind);
        theirs.retainAll(former.stream().map(Home::changes).toList());
        behind = Collections.unmodifiableSet(theirs);
    }

    /** Of a session whose former homes all pass on in one order. */
    public SessionMoves(
            List<Home> former, @Nullable Filling filling, @Nullable Given given, long stayed) {
        this(former, filling, given, stayed, 0, Set.of());
    }

    /**
     * A former home.
     *
     * @param server its server id
     * @param changes number of the grant for which it gave the session
     */
    public record Home(int server, long changes) {}

    /**
     * How far the queue's pages have come.
     *
     * @param upTo everything up to this id is here
     * @param mark nothing above this id comes in pages
     * @param inFlightUpTo nothing above this id was in flight
     */
    public record Filling(HybridId upTo, HybridId mark, HybridId inFlightUpTo) {}

    /**
     * To whom it was given.
     *
     * @param server of the claim's node
     * @param start of that node
     * @param shard of the claim there; -1 when no connection waits
     * @param claim its number there
     * @param changes number of the grant
     */
    public record Given(int server, long start, int shard, long claim, long changes) {
        /** To nobody: another session of the client id has taken its place, at another node. */
        public static final Given ASIDE = new Given(0, 0, -1, 0, 0);
    }

    /** The same with another progress, and to whom it was given. */
    public SessionMoves with(@Nullable Filling progress, @Nullable Given to) {
        return new SessionMoves(former, progress, to, stayed, waited, behind);
    }

    /** The same when a former home keeps nothing any more. */
    public SessionMoves without(Home home) {
        List<Home> left = new ArrayList<>(former);
        left.remove(home);
        return new SessionMoves(left, filling, given, stayed, waited, behind);
    }

    /**
     * The former homes that pass on what is oldest, the first first; none when that comes directly.
     */
    public List<Home> inOrder() {
        return former.stream().filter(each -> !behind.contains(each.changes())).toList();
    }

    public boolean isNone() {
        return former.isEmpty() && filling == null && given == null;
    }
}
