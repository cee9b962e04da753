package io.godwit.cluster.leadership;

import java.util.BitSet;
import java.util.List;

/**
 * Sends records to nodes that a link is open to, in order for each of them. What is on its way when
 * the link ends may be lost: everything is told again when the next one opens.
 */
public interface LeadershipPeers {
    /** Tells a node which epochs slots have (LEADS). */
    void tellLeaders(int server, List<SlotRow> rows);

    /**
     * Tells a node in which slots this one has durable sessions that are not set aside (HOLDS).
     * Behind the whole table it also says that the table was told.
     */
    void tellHoldings(int server, BitSet slots);

    /** Tells a holder that the leader keeps slots, since it has sessions there itself (KEPT). */
    void tellKept(int server, BitSet slots, Epoch epoch);

    /** Tells a node whether this one is to lead nothing (DRAINING). */
    void tellDraining(int server, boolean isDraining);
}
