package io.godwit.core.session;

import io.godwit.core.store.SessionMoves;
import io.godwit.core.store.SessionMoves.Home;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * By which former homes of a session that has moved what is oldest comes. One node has got
 * everything for it: the first one that it was at and that still keeps something, or where it has
 * been back since. What comes there goes from home to home to where the session is now; these homes
 * have one order, that of the first. The others, which the session has left in a circle, are
 * {@linkplain SessionMoves#behind behind}.
 *
 * <pre>
 * was at         is at   in order   behind
 * A, B           C       A, B
 * A, B, C        A                  B, C     A has got everything
 * A, B, C        B       A          C
 * A, B, C, A     C       A          B        what A has passed on to B it has given the session
 * </pre>
 */
final class FormerOrder {
    private FormerOrder() {}

    /**
     * The moves of a session that comes.
     *
     * @param before as its last home had them
     * @param last that home
     * @param self server id of this node
     */
    static SessionMoves of(SessionMoves before, Home last, int self, Stay stayed) {
        List<Home> all = new ArrayList<>(before.former());
        Home earlier = null;
        for (Home each : all) {
            earlier = each.server() == self ? each : earlier;
        }
        all.removeIf(each -> each.server() == self);
        all.add(last);
        Set<Long> behind = new TreeSet<>(before.behind());
        if (stayed.given() != 0) {
            boolean isInOrder = earlier != null && !behind.contains(earlier.changes());
            long from = earlier == null || stayed.waited() == 0 ? 0 : earlier.changes();
            if (isInOrder || stayed.waited() == 0) {
                all.stream().map(Home::changes).filter(each -> each > from).forEach(behind::add);
            }
        }
        SessionMoves moves =
                new SessionMoves(all, null, null, stayed.given(), stayed.waited(), behind);
        return moves.inOrder().isEmpty()
                ? new SessionMoves(all, null, null, stayed.given(), 0, behind)
                : moves;
    }

    /**
     * Whether the home was behind whose copy is at the node that the session comes back to: what it
     * has passed on is no order then, also when that home has left the routes by now.
     *
     * @param before as the session's last home had them
     * @param self server id of that node
     */
    static boolean wasBehind(SessionMoves before, int self) {
        return before.former().stream()
                .anyMatch(
                        each -> each.server() == self && before.behind().contains(each.changes()));
    }

    /** Whether what comes round by the last one is in order. */
    static boolean isByLast(SessionMoves moves) {
        return !moves.behind().contains(moves.former().getLast().changes());
    }
}
