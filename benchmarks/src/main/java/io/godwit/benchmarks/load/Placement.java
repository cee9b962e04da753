package io.godwit.benchmarks.load;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * Who connects where.
 *
 * @param publishers publisher p connects to entry p of these, and to the first again after the last
 * @param subscribers subscriber s of publisher p connects to entry p + s of these, in the same way
 * @param transport how they do
 */
public record Placement(
        List<InetSocketAddress> publishers,
        List<InetSocketAddress> subscribers,
        Transport transport) {
    /** Everybody over plain TCP. */
    public Placement(List<InetSocketAddress> publishers, List<InetSocketAddress> subscribers) {
        this(publishers, subscribers, Transport.PLAIN);
    }

    /** Everybody at one broker, over plain TCP. */
    public static Placement at(InetSocketAddress broker) {
        return at(broker, Transport.PLAIN);
    }

    /** Everybody at one broker. */
    static Placement at(InetSocketAddress broker, Transport transport) {
        return new Placement(List.of(broker), List.of(broker), transport);
    }

    InetSocketAddress publisher(int publisher) {
        return publishers.get(publisher % publishers.size());
    }

    InetSocketAddress subscriber(int publisher, int subscriber) {
        return subscribers.get((publisher + subscriber) % subscribers.size());
    }
}
