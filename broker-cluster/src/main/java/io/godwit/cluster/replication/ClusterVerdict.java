package io.godwit.cluster.replication;

import java.util.Map;

/**
 * How the copies of a cluster compare with what their leaders have.
 *
 * @param leaders verdicts of the nodes that have answered, by server id
 * @param unanswered why the others have not, by server id
 * @param isBusy nobody was asked, since this node asks for somebody else already
 */
public record ClusterVerdict(
        Map<Integer, LeaderVerdict> leaders, Map<Integer, String> unanswered, boolean isBusy) {
    static final ClusterVerdict BUSY = new ClusterVerdict(Map.of(), Map.of(), true);

    public ClusterVerdict {
        leaders = Map.copyOf(leaders);
        unanswered = Map.copyOf(unanswered);
    }
}
