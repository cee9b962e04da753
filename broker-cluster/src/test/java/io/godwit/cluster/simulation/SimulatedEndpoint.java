package io.godwit.cluster.simulation;

import io.godwit.cluster.transport.Endpoint;

/** One process of one node. */
record SimulatedEndpoint(int process, int server) implements Endpoint {
    @Override
    public String toString() {
        return "process-" + process + " of " + server;
    }
}
