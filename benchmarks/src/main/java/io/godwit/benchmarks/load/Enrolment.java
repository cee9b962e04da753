package io.godwit.benchmarks.load;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Makes durable sessions whose clients subscribe once and leave. */
final class Enrolment {
    /** Time for each is limited by that of {@link LoadLoop#connect}. */
    private static final int AT_ONCE = 5_000;

    private Enrolment() {}

    static String clientId(int number) {
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
        for (int first = from; first < to; first += AT_ONCE) {
            List<Visitor> visitors = new ArrayList<>();
            try (LoadLoop loop = new LoadLoop(broker.address())) {
                for (int n = first; n < Math.min(to, first + AT_ONCE); n++) {
                    String filter = sharedFilter.isEmpty() ? topic(n) : sharedFilter;
                    visitors.add(new Visitor(loop, clientId(n), List.of(filter)));
                }
                loop.connect(visitors);
            }
        }
        System.err.printf(Locale.ROOT, "%s: sessions %d to %d enrolled%n", broker.name(), from, to);
    }

    /** Subscribes at QoS 1 and disconnects; ready when the broker has closed the connection. */
    private static final class Visitor extends Link {
        private boolean leaving;

        Visitor(LoadLoop loop, String clientId, List<String> filters) {
            super(loop, clientId, filters, 1);
        }

        @Override
        boolean cleanSession() {
            return false;
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
