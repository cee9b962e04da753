package io.godwit.cluster.membership;

/** Is told who belongs to the cluster, on the thread of the links. */
public interface NodesListener {
    /** A node has joined, came back, fell silent or left, or was forgotten. */
    void onNodes(Nodes nodes);

    /**
     * This process can't be in the cluster: another live one has its server id, and was there
     * before, or this is an old copy of a data folder. It is to stop.
     *
     * @param line what to tell the operator
     */
    void onIntruder(String line);
}
