package io.godwit.core.simulation;

import io.godwit.core.node.Broker;
import io.godwit.core.node.Cluster;
import io.godwit.core.packet.ClientId;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;

/** What joins the nodes of a run: their parts of the cluster, and the links between them. */
public interface SimulatedCluster {
    /** Makes that of a run. */
    interface Maker {
        /**
         * @param servers server ids of the nodes
         * @param note for the story: node, text
         * @param count of a node, what has happened
         */
        SimulatedCluster make(
                Scheduler scheduler,
                RandomGenerator random,
                int[] servers,
                BiConsumer<Integer, String> note,
                BiConsumer<Integer, Happening> count);
    }

    /** A node begins to start. */
    Cluster begin(int node);

    /** Its broker is made, and has not recovered yet. */
    void made(int node, Broker broker);

    /**
     * Its broker runs.
     *
     * @param whenReady its listeners may open
     */
    void started(int node, Runnable whenReady);

    /** Returns an id for a client whose sessions are at a node. */
    ClientId clientId(int node, String client);

    /** Its process does not run until then. */
    void paused(int node, long untilMicros);

    /** Its process is gone. */
    void gone(int node);

    /** From now on links are cut. */
    void trouble();

    /** From now on no more. */
    void calm();

    /** Whether nothing is under way between the nodes that waits for time alone. */
    default boolean isSettled() {
        return true;
    }

    /** Everything was delivered, and all is quiet: has each node say what it holds. */
    default void describe() {}

    /** All have said what they hold: throws when that is not as it should be. */
    default void check() {}
}
