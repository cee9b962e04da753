package io.godwit.core.session;

import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Looks at each session of a shard, some at a time. A session that comes meanwhile is not seen, one
 * that goes may be.
 *
 * @param <S> the sessions, linked through themselves
 */
final class SessionWalk<S> {
    private static final int SLICE = 500;

    private final UnaryOperator<@Nullable S> following;
    private final Consumer<S> visitor;
    private @Nullable S next;

    /**
     * @param first the head of the list: new ones are put before it
     * @param following the next in the list, or null
     */
    SessionWalk(@Nullable S first, UnaryOperator<@Nullable S> following, Consumer<S> visitor) {
        this.next = first;
        this.following = following;
        this.visitor = visitor;
    }

    /** Shows the next sessions to the visitor. True when there are no more. */
    boolean slice() {
        return slice(SLICE);
    }

    /** The same for so many. */
    boolean slice(int most) {
        for (int i = 0; i < most; i++) {
            S session = next;
            if (session == null) {
                break;
            }
            next = following.apply(session); // The visitor may take this one out of the list.
            visitor.accept(session);
        }
        return next == null;
    }

    /** Steps past a session that leaves the list. */
    void onRemoved(S session) {
        if (next == session) {
            next = following.apply(session);
        }
    }
}
