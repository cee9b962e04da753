package io.godwit.chaos;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Messages of a shared group at QoS 1 that came to one of its members, and then to another while
 * the first one still took itself for connected: right when the broker had closed its connection,
 * since that one may read the end later than the other one its message.
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

    /**
     * Takes out those whose first member has kept its connection.
     *
     * @param isLast whether nobody will notice anything any more
     */
    List<Job> wrong(long nowNs, boolean isLast) {
        List<Job> wrong = new ArrayList<>(0);
        for (Iterator<Job> i = open.iterator(); i.hasNext(); ) {
            Job each = i.next();
            if (isLast || nowNs - each.ns() > NOTICED_NS) {
                wrong.add(each);
                i.remove();
            }
        }
        return wrong;
    }
}
