package io.godwit.server.admin;

import java.util.List;

/**
 * How the copies of a cluster compare with what their leaders have.
 *
 * @param isBusy nothing was compared, since this node does that for somebody else already
 * @param leaders every member
 */
public record VerifyResult(boolean isBusy, List<Leader> leaders) {
    public VerifyResult {
        leaders = List.copyOf(leaders);
    }

    /**
     * A member and its copies at others.
     *
     * @param copies that each of its queues is to have, its own included
     * @param setsMissing copy sets that have fewer
     * @param reason why none of its copies was compared; empty: they were, or it has none
     */
    public record Leader(
            String name,
            int server,
            int copies,
            int setsMissing,
            List<Follower> followers,
            String reason) {
        public Leader {
            followers = List.copyOf(followers);
        }
    }

    /**
     * The copy at another member.
     *
     * @param sets copy sets compared
     * @param queues of these, at the leader
     * @param slotsDiffering how many slots differ
     * @param slots the first of these
     * @param reason why it was not compared; empty: it was
     */
    public record Follower(
            String name,
            int server,
            int sets,
            long queues,
            int slotsDiffering,
            List<Slot> slots,
            String reason) {
        public Follower {
            slots = List.copyOf(slots);
        }
    }

    /**
     * A slot that differs.
     *
     * @param name its number, or {@code groups}: the queues of shared groups
     * @param queues at the leader
     * @param copied in the copy
     */
    public record Slot(String name, int queues, int copied) {}
}
