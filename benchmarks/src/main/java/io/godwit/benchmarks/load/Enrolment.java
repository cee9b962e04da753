package io.godwit.benchmarks.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Makes durable sessions whose clients subscribe once and leave. */
public final class Enrolment {
    /** Time for each is limited by that of {@link LoadLoop#connect}. */
    private static final int AT_ONCE = 5_000;

    private Enrolment() {}

    public static String clientId(int number) {
        return "offline-%08d".formatted(number);
    }

    /** A topic of its own, of the same length for each. */
    static String topic(int number) {
        return "offline/%08d/state".formatted(number);
    }

    /**
     * Returns when the broker has closed the connections of all of them.
     *
     * @param sharedFilter empty = each subscribes to its own topic
     */
    static void enrol(BrokerProcess broker, int from, int to, String sharedFilter)
            throws IOException {
        enrol(from, to, sharedFilter, number -> broker.address());
        System.err.printf(Locale.ROOT, "%s: sessions %d to %d enrolled%n", broker.name(), from, to);
    }

    /**
     * Makes the sessions at several nodes.
     *
     * @param nodes the address for each number
     */
    static void enrol(int from, int to, String sharedFilter, IntFunction<InetSocketAddress> nodes)
            throws IOException {
        enrol(IntStream.range(from, to).toArray(), sharedFilter, nodes);
    }

    /** Makes sessions for some numbers of clients, each with a subscription to its own topic. */
    public static void enrol(BrokerProcess broker, int... numbers) throws IOException {
        enrol(numbers, "", number -> broker.address());
    }

    private static void enrol(
            int[] numbers, String sharedFilter, IntFunction<InetSocketAddress> nodes)
            throws IOException {
        for (int first = 0; first < numbers.length; first += AT_ONCE) {
            int start = first;
            visit(
                    Math.min(numbers.length - first, AT_ONCE),
                    (loop, index) -> {
                        int number = numbers[start + index];
                        String filter = sharedFilter.isEmpty() ? topic(number) : sharedFilter;
                        return new Visitor(loop, clientId(number), List.of(filter), true);
                    },
                    index -> nodes.apply(numbers[start + index]));
        }
    }

    /**
     * Connects clients that leave at once, without a subscription.
     *
     * @param durable their sessions stay; else those that they have had end
     */
    public static void visit(InetSocketAddress node, List<String> clientIds, boolean durable)
            throws IOException {
        visit(
                clientIds.size(),
                (loop, index) -> new Visitor(loop, clientIds.get(index), List.of(), durable),
                index -> node);
    }

    private static void visit(
            int count,
            BiFunction<LoadLoop, Integer, Visitor> visitor,
            IntFunction<InetSocketAddress> nodes)
            throws IOException {
        try (LoadLoop loop = new LoadLoop(nodes.apply(0))) {
            List<Visitor> visitors =
                    IntStream.range(0, count).mapToObj(i -> visitor.apply(loop, i)).toList();
            loop.connect(visitors, nodes);
        }
    }

    /** Subscribes at QoS 1 and disconnects; ready when the broker has closed the connection. */
    private static final class Visitor extends Link {
        private final boolean durable;
        private boolean leaving;

        Visitor(LoadLoop loop, String clientId, List<String> filters, boolean durable) {
            super(loop, clientId, filters, 1);
            this.durable = durable;
        }

        @Override
        boolean cleanSession() {
            return !durable;
        }

        @Override
        void onGranted() throws IOException {
            leaving = true;
            write(Frames.disconnect());
        }

        @Override
        void onEnd() throws IOException {
            if (!leaving) super.onEnd();
            close();
            loop.onLinkReady();
        }

        @Override
        void onPacket(int first, ByteBuffer in, int from, int to) {}
    }
}
