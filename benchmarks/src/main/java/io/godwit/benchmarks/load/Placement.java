package io.godwit.benchmarks.load;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * Who connects where.
 *
 * @param publishers publisher p connects to entry p of these, and to the first again after the last
 * @param subscribers subscriber s of publisher p connects to entry p + s of these, in the same way
 */
public record Placement(List<InetSocketAddress> publishers, List<InetSocketAddress> subscribers) {
    /** Everybody at one broker. */
    public static Placement at(InetSocketAddress broker) {
        return new Placement(List.of(broker), List.of(broker));
    }

    InetSocketAddress publisher(int publisher) {
        return publishers.get(publisher % publishers.size());
    }

    InetSocketAddress subscriber(int publisher, int subscriber) {
        return subscribers.get((publisher + subscriber) % subscribers.size());
    }
}
