package io.godwit.cluster.takeover;

import io.godwit.cluster.takeover.Forwards.Grant;
import io.godwit.cluster.takeover.TakeoverMessages.Forward;
import io.godwit.core.takeover.Forwarded;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What goes after one session to its new home and is not answered, in order: the first of it under
 * way, as much as the new home keeps for a session that has not come yet; the rest waits here.
 */
final class SessionForwards {
    final Grant grant;
    final int server;

    /** By number, in this order. */
    private final Map<Long, Waiting> underWay = new LinkedHashMap<>();

    private final ArrayDeque<Waiting> held = new ArrayDeque<>(0);
    private long bytes;

    /**
     * What waits until the new home has answered for all of it, by the server id of who asks: the
     * session may have gone on, and each of its homes since then asks.
     */
    final Map<Integer, Runnable> whenDone = new LinkedHashMap<>(0);

    /** Waits until all of it is under way. */
    @Nullable Runnable whenSent;

    /** It goes to the session at this node itself, as much as there is. */
    boolean isHere;

    /**
     * @param hold not null: it does not leave before that is over
     */
    record Waiting(Forward forward, @Nullable Hold hold, Consumer<Boolean> whenTaken) {
        boolean isHeld() {
            return hold != null && !hold.isOver;
        }

        int bytes() {
            return forward.what().message().accountedBytes();
        }
    }

    /**
     * @param server id of the new home
     */
    SessionForwards(Grant grant, int server) {
        this.grant = grant;
        this.server = server;
    }

    /** What a message waits for before it leaves. */
    static final class Hold {
        private boolean isOver;
        private @Nullable SessionForwards of;

        /**
         * @return what may go on
         */
        @Nullable SessionForwards end() {
            isOver = true;
            return of;
        }
    }

    void add(Forward forward, @Nullable Hold hold, Consumer<Boolean> whenTaken) {
        held.add(new Waiting(forward, hold, whenTaken));
        if (hold != null) {
            hold.of = this;
        }
    }

    /**
     * Lets go what may be under way.
     *
     * @return false when it was out of room
     */
    boolean offer(Forwards.Ways out) {
        while (!held.isEmpty()
                && (isHere
                        || underWay.size() < Forwarded.UNANSWERED_MAX
                                && bytes < Forwarded.UNANSWERED_BYTES_MAX)) {
            Waiting next = held.element();
            if (next.isHeld()) {
                return true;
            }
            if (!out.offer(server, next.forward)) {
                return false;
            }
            held.remove();
            underWay.put(next.forward.number(), next);
            bytes += next.bytes();
        }
        return true;
    }

    /** What was under way may be lost: it is to go again, before the rest. */
    void linked() {
        List<Waiting> again = new ArrayList<>(underWay.values());
        again.reversed().forEach(held::addFirst);
        underWay.clear();
        bytes = 0;
    }

    /** Takes one out that was answered. */
    Waiting remove(long number) {
        Waiting done = underWay.remove(number);
        if (done != null) {
            bytes -= done.bytes();
            return done;
        }
        // Answered over the last link, and not gone again over this one.
        Waiting late =
                held.stream()
                        .filter(each -> each.forward.number() == number)
                        .findFirst()
                        .orElseThrow();
        held.remove(late);
        return late;
    }

    boolean isSent() {
        return held.isEmpty();
    }

    boolean isEmpty() {
        return underWay.isEmpty() && held.isEmpty();
    }

    /** All of it, in order. */
    List<Waiting> all() {
        List<Waiting> all = new ArrayList<>(underWay.values());
        all.addAll(held);
        return all;
    }
}
