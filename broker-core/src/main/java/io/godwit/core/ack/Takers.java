package io.godwit.core.ack;

import io.godwit.core.shard.Shard;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The targets that may remember one QoS 2 message until its publisher is done with it. */
public final class Takers {
    /** What the list itself is accounted with, and the first of it. */
    private static final int BYTES = 64;

    /** What each taker more is accounted with: a place in a list that grows, and some an object. */
    private static final int TAKER_BYTES = 16;

    /** Takers that are told in one slice. */
    private static final int SLICE = 1_000;

    private final int ingressServer;
    private final long ingressCounter;
    private final Taker first;

    /** The takers besides the first; null mostly, since most topics have one subscriber. */
    private @Nullable List<Taker> others;

    /** One of them that tells the rest. */
    private @Nullable EveryNode everyNode;

    public Takers(int ingressServer, long ingressCounter, Taker first) {
        this.ingressServer = ingressServer;
        this.ingressCounter = ingressCounter;
        this.first = first;
        note(first);
    }

    private void note(Taker taker) {
        if (taker instanceof EveryNode every) {
            everyNode = every;
        }
    }

    /** Adds a taker. One may be added twice, of a message that was routed again. */
    public void add(Taker taker) {
        List<Taker> more = others;
        if (more == null) {
            more = new ArrayList<>(2);
            others = more;
        }
        more.add(taker);
        note(taker);
    }

    /** What it is accounted with. */
    long bytes() {
        return BYTES + (others == null ? 0 : (long) others.size() * TAKER_BYTES);
    }

    /** Adds all takers of the same message that another list has. */
    public void addAll(Takers more) {
        add(more.first);
        if (more.others != null) {
            more.others.forEach(this::add);
        }
    }

    /**
     * Tells all takers that the publisher's side is done with the message. Nothing is added after
     * that.
     */
    public void forget(Shard from) {
        EveryNode every = everyNode;
        if (every == null) {
            forgetAll(from);
        } else {
            every.forget(from, ingressServer, ingressCounter, () -> forgetAll(from));
        }
    }

    private void forgetAll(Shard from) {
        first.forget(from, ingressServer, ingressCounter);
        List<Taker> more = others;
        if (more != null && forgetFrom(more, 0, from) < more.size()) {
            int[] next = {SLICE};
            from.slice(() -> {
                next[0] = forgetFrom(more, next[0], from);
                return next[0] == more.size();
            });
        }
    }

    private int forgetFrom(List<Taker> more, int start, Shard from) {
        int end = Math.min(more.size(), start + SLICE);
        for (int i = start; i < end; i++) {
            more.get(i).forget(from, ingressServer, ingressCounter);
        }
        return end;
    }
}
