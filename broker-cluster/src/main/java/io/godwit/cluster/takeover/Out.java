package io.godwit.cluster.takeover;

/**
 * Takes what is to be said to nodes, this one included: that comes back behind what is done now.
 */
interface Out {
    void send(int server, TakeoverMessage message);
}
