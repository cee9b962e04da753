package io.godwit.cluster.takeover;

import io.godwit.cluster.takeover.TakeoverMessage.Take;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A session that this node has, or has given up and still keeps.
 *
 * <pre>
 * state    trigger                                      next
 * nothing  made, or arrived                             HOME
 * HOME     taken by a claim with a higher number        LEAVING
 * HOME     ended; lost to a home with a higher number   nothing
 * LEAVING  it has stopped, and that is durable          GIVEN (the header leaves)
 * LEAVING  it has ended                                 nothing
 * LEAVING  it can't go now                              HOME (whoever has taken it is refused)
 * GIVEN    taken again by the same claim                GIVEN (the header leaves again)
 * GIVEN    taken by another, the grant came to nothing  GIVEN (to that one)
 * GIVEN    the new home has all of it                   nothing
 * GIVEN    taken back by a claim of this node           HOME
 * </pre>
 *
 * Whatever else is taken is not here. A home that has stopped never goes on by itself.
 */
final class Resident {
    enum State {
        HOME,
        LEAVING,
        GIVEN
    }

    /** Where a durable session is while this node leaves. */
    enum Place {
        /** Here alone. */
        HERE,
        /** The same, and it could not go when it was taken. */
        BOUND,
        /** It stops, since somebody takes it. */
        LEAVES,
        /** Given to a linked node that has not told that all of it is there. */
        GIVEN,
        /** Not here, or for one that is away: there is nothing to wait for. */
        NOWHERE
    }

    /** Bytes of one with its place, and of whom it goes to; measured, rounded up. */
    private static final long RESIDENT_BYTES = 120;

    State state = State.HOME;
    long changes;
    boolean durable;

    /** To whom it goes. */
    @Nullable Take to;

    /** Whom it goes to instead as soon as that is kept. */
    @Nullable Take next;

    /** Who else wants it while it stops, or while that is being kept; one of each node. */
    private List<Take> waiting = List.of();

    private byte @Nullable [] header;

    /** It could not go when it was taken since this node leaves. */
    boolean isBound;

    Resident(long changes, boolean durable) {
        this.changes = changes;
        this.durable = durable;
    }

    Standing standing() {
        Take given = to;
        return state == State.GIVEN && given != null
                ? new Standing.Given(changes, given.claim(), durable)
                : new Standing.Home(changes, durable);
    }

    /** Whether it was given, and for that grant. */
    boolean isGivenFor(long grant) {
        return state == State.GIVEN && changes == grant;
    }

    /**
     * It has stopped, and was given for that grant.
     *
     * @param made its header
     */
    void given(long grant, byte[] made) {
        state = State.GIVEN;
        changes = grant;
        header = made;
    }

    byte @Nullable [] header() {
        return header;
    }

    /** What it takes, without its client id. */
    long bytes() {
        byte[] kept = header;
        return RESIDENT_BYTES + (kept == null ? 0 : kept.length);
    }

    /**
     * It is at home here again.
     *
     * @param now number that it has from now on
     * @return who has wanted it meanwhile
     */
    List<Take> tookBack(long now) {
        state = State.HOME;
        changes = now;
        to = null;
        next = null;
        header = null;
        return noMoreWait();
    }

    /**
     * Lets someone wait until it is known whom the session goes to. Refused at once they would ask
     * at once, and be granted it again: two of them in turn, as fast as links are.
     *
     * @return the one that has waited for the same node; null for none
     */
    @Nullable Take waits(Take take) {
        List<Take> all = new ArrayList<>(waiting);
        int server = take.claim().by().server();
        Take before =
                all.stream()
                        .filter(each -> each.claim().by().server() == server)
                        .findAny()
                        .orElse(null);
        all.remove(before);
        all.add(take);
        waiting = all;
        return before;
    }

    /** Those who wait no more, in the order in which they came. */
    List<Take> noMoreWait() {
        List<Take> all = waiting;
        waiting = List.of();
        return all;
    }

    /**
     * @param linked server ids of the nodes that there is a link to
     */
    Place place(Set<Integer> linked) {
        if (!durable) {
            return Place.NOWHERE;
        }
        Take given = to;
        return switch (state) {
            case HOME -> isBound ? Place.BOUND : Place.HERE;
            case LEAVING -> Place.LEAVES;
            case GIVEN ->
                    given != null && linked.contains(given.claim().by().server())
                            ? Place.GIVEN
                            : Place.NOWHERE;
        };
    }
}
