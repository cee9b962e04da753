package io.godwit.cluster.transport;

/**
 * One start of a node: what a stream comes from or goes to. A node that restarts is another one.
 *
 * @param server stable id of the node, 0..2^24-1
 * @param start grows at each start of the node, from 1
 */
public record NodeStart(int server, long start) {
    @Override
    public String toString() {
        return server + "/" + start;
    }
}
