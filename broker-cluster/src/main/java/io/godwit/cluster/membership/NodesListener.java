package io.godwit.cluster.membership;

import java.util.function.LongConsumer;

/** Is told who belongs to the cluster, on the thread of the links. */
public interface NodesListener {
    /** A node has joined, came back, fell silent or left, or was forgotten. */
    void onNodes(Nodes nodes);

    /**
     * Counts the durable sessions of another node that this one knows of as the first anchor of
     * their slots.
     *
     * @param then told how many, on the thread of the links
     */
    default void sessionsOf(int server, LongConsumer then) {
        then.accept(0);
    }

    /**
     * This process can't be in the cluster: another live one has its server id, and was there
     * before, or this is an old copy of a data folder. It is to stop.
     *
     * @param line what to tell the operator
     */
    void onIntruder(String line);
}
