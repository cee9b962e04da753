package io.godwit.cluster.membership;

import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * For how long this node has run and not heard of each member, over all its starts. No wall clock
 * counts, and of the time between two ticks no more than a second: a machine that was suspended has
 * not waited for anybody. Kept behind the list of members, on this node alone:
 *
 * <pre>
 * count varint | count x (server 3 | milliseconds varint)
 * </pre>
 */
final class Unheard {
    /** Counts for a longer time between two ticks. */
    private static final long STEP_MAX_MS = 1_000;

    /** So much is lost when the node ends. */
    private static final long SAVE_MS = 60_000;

    /** When a member can't be forgotten it is tried again after so long. */
    private static final long AGAIN_MS = 60_000;

    private final long forgetAfterMs;
    private final Map<Integer, Long> unheardMs = new TreeMap<>();
    private long lastMs = Long.MIN_VALUE;
    private long unsavedMs;

    /**
     * @param forgetAfterMs a member that was not heard for so long is to be forgotten; 0 = never
     */
    Unheard(long forgetAfterMs) {
        this.forgetAfterMs = forgetAfterMs;
    }

    /** What an earlier start has counted. */
    void read(ByteReader in) {
        for (int left = in.isAtEnd() ? 0 : in.smallInt(); left > 0; left--) {
            unheardMs.put(in.server3(), in.varint());
        }
    }

    byte[] toBytes() {
        ByteWriter all = new ByteWriter(16).varint(unheardMs.size());
        unheardMs.forEach((server, ms) -> all.server3(server).varint(ms));
        return all.toBytes();
    }

    /**
     * Time has passed.
     *
     * @param heard server ids of this node and those that it has a link with
     * @return members that are to be forgotten
     */
    List<Member> tick(long nowMs, Collection<Member> members, Set<Integer> heard) {
        long passed = lastMs == Long.MIN_VALUE ? 0 : Math.min(nowMs - lastMs, STEP_MAX_MS);
        lastMs = nowMs;
        List<Member> due = new ArrayList<>(0);
        Map<Integer, Long> before = new TreeMap<>(unheardMs);
        unheardMs.clear();
        for (Member each : members) {
            int server = each.server();
            if (!heard.contains(server)) {
                long ms = before.getOrDefault(server, 0L) + passed;
                boolean isDue = forgetAfterMs > 0 && ms >= forgetAfterMs;
                unheardMs.put(server, isDue ? Math.max(0, forgetAfterMs - AGAIN_MS) : ms);
                if (isDue) {
                    due.add(each);
                }
            }
        }
        // A member that was heard again must not be near its end after a crash.
        boolean isHeardAgain = !unheardMs.keySet().containsAll(before.keySet());
        unsavedMs = isHeardAgain ? SAVE_MS : unheardMs.isEmpty() ? 0 : unsavedMs + passed;
        return due;
    }

    /** Whether it is time to keep it; asked once. */
    boolean isToSave() {
        boolean isToSave = unsavedMs >= SAVE_MS;
        unsavedMs = isToSave ? 0 : unsavedMs;
        return isToSave;
    }
}
