package io.godwit.cluster.takeover;

import io.godwit.cluster.takeover.TakeoverMessages.Forward;
import io.godwit.core.packet.ClientId;
import io.godwit.core.takeover.Forwarded;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Messages on their way to sessions that this node has given: each is kept until the new home has
 * it, sent again in order when a link is new, and goes elsewhere when what was given does. Bounded
 * by what publishers may have unacknowledged.
 */
final class Forwards {
    private final BiPredicate<Integer, Forward> out;

    /** In the order of their numbers. */
    private final Map<Long, Waiting> waiting = new LinkedHashMap<>();

    /** How many of them there are for each grant. */
    private final Map<Grant, Integer> counts = new HashMap<>(0);

    /** By server id: number of the first that its link had no room for. */
    private final Map<Integer, Long> stalled = new HashMap<>(0);

    private final Map<Grant, Runnable> whenDone = new HashMap<>(0);
    private long last;

    /** What a session was given for. */
    private record Grant(ClientId clientId, long changes) {}

    private record Waiting(int server, Forward forward, Consumer<Boolean> whenTaken) {
        Grant grant() {
            return new Grant(forward.what().clientId(), forward.changes());
        }
    }

    /**
     * @param out offers to a node; false when there is a link, and no room on it
     */
    Forwards(BiPredicate<Integer, Forward> out) {
        this.out = out;
    }

    /**
     * @param server id of the new home
     * @param changes number of the grant for which the session was given
     * @param mayComeAgain the new home is to remember it
     * @param whenTaken null when nobody waits: without a link, or room on it, it is dropped then
     */
    void send(
            int server,
            long changes,
            boolean mayComeAgain,
            Forwarded what,
            @Nullable Consumer<Boolean> whenTaken) {
        long number = whenTaken == null ? 0 : ++last;
        Forward forward = new Forward(number, changes, mayComeAgain, what);
        if (whenTaken != null) {
            keep(new Waiting(server, forward, whenTaken));
        }
        if (!stalled.containsKey(server)) {
            offer(server, forward);
        }
    }

    /**
     * @return false when it is to be offered again
     */
    private boolean offer(int server, Forward forward) {
        boolean isOffered = out.test(server, forward);
        if (!isOffered && forward.number() != 0) {
            stalled.put(server, forward.number());
        }
        return isOffered;
    }

    private void keep(Waiting one) {
        waiting.put(one.forward.number(), one);
        counts.merge(one.grant(), 1, Integer::sum);
    }

    private @Nullable Waiting remove(long number) {
        Waiting one = waiting.remove(number);
        if (one != null) {
            counts.computeIfPresent(one.grant(), (grant, count) -> count == 1 ? null : count - 1);
        }
        return one;
    }

    /** There is a new link to a node. */
    void linked(int server) {
        offerFrom(server, 0);
    }

    /** There may be room on links again. */
    void retry() {
        Map.copyOf(stalled).forEach(this::offerFrom);
    }

    /** Offers all from a number on, in order, as far as there is room. */
    private void offerFrom(int server, long first) {
        stalled.remove(server);
        for (Waiting each : List.copyOf(waiting.values())) {
            long number = each.forward.number();
            if (each.server == server && number >= first && !offer(server, each.forward)) {
                return;
            }
        }
    }

    /** What was given has gone to another node, or is this one's again. */
    void elsewhere(ClientId clientId, long given, int server, long changes) {
        Grant before = new Grant(clientId, given);
        if (!counts.containsKey(before)) {
            return;
        }
        List<Waiting> all = new ArrayList<>();
        waiting.values()
                .forEach(each -> {
                    if (each.grant().equals(before)) {
                        all.add(each);
                    }
                });
        for (Waiting each : all) {
            remove(each.forward.number());
            Forward of = each.forward;
            send(server, changes, of.mayComeAgain(), of.what(), each.whenTaken);
        }
    }

    /**
     * Runs a task when the new home has answered for all that went after what it was given.
     *
     * @return false when there is nothing to wait for
     */
    boolean whenDone(ClientId clientId, long changes, Runnable task) {
        Grant grant = new Grant(clientId, changes);
        if (!counts.containsKey(grant)) {
            return false;
        }
        whenDone.put(grant, task);
        return true;
    }

    /** A node has one, or nobody is to get it any more. */
    void forwarded(long number, boolean isTaken) {
        Waiting done = remove(number);
        if (done == null) {
            return;
        }
        done.whenTaken.accept(isTaken);
        Runnable task = counts.containsKey(done.grant()) ? null : whenDone.remove(done.grant());
        if (task != null) {
            task.run();
        }
    }

    int size() {
        return waiting.size();
    }
}
