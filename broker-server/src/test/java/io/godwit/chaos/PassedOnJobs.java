package io.godwit.chaos;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Messages of a shared group at QoS 1 that came to one of its members, and then to another while
 * the first one still took itself for connected: right when the broker had closed the connection of
 * one of both.
 *
 * <p>The first one may read its end later than the other one its message. And the other one's may
 * have been on its way since before the first one got it, by a node that did not run or was cut
 * off: that node brings it, and then says (0x8B) that the connection was lost.
 */
final class PassedOnJobs {
    /** A member notices within so long that it is not connected any more. */
    private static final long NOTICED_NS = 2_000_000_000L;

    private final List<Job> open = new ArrayList<>(0);

    /**
     * @param before the member that had it before
     */
    record Job(String by, Mark mark, String before, long ns) {}

    void add(String by, Mark mark, String before, long ns) {
        open.add(new Job(by, mark, before, ns));
    }

    void ended(String member) {
        open.removeIf(each -> each.before().equals(member));
    }

    /** A member was told that its connection was lost between the nodes. */
    void lostBetweenNodes(String member) {
        open.removeIf(each -> each.by().equals(member));
    }

    /**
     * Takes out those whose members have kept their connections.
     *
     * @param heardSinceNs when all nodes heard each other again: before that nobody is told
     * @param isLast whether nobody will notice anything any more
     */
    List<Job> wrong(long nowNs, long heardSinceNs, boolean isLast) {
        List<Job> wrong = new ArrayList<>(0);
        for (Iterator<Job> i = open.iterator(); i.hasNext(); ) {
            Job each = i.next();
            long sinceNs = Math.min(nowNs - each.ns(), nowNs - heardSinceNs);
            if (isLast || sinceNs > NOTICED_NS) {
                wrong.add(each);
                i.remove();
            }
        }
        return wrong;
    }
}
