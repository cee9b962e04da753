package io.godwit.benchmarks.load.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** One session that moves, and the streams of its topic. */
final class MovingSession {
    private static final int FILL_WINDOW = 500;
    private static final int LIVE_WINDOW = 100;
    private static final int PAYLOAD_BYTES = 100;
    private static final long LIVE_PAUSE_MS = 10;

    private final Nodes cluster;
    private final Mover mover;

    /** They fill the queue while the client is away: QoS 1 and 2, at node 1. */
    private final List<Feed> fill = new ArrayList<>();

    /** Live traffic: QoS 1 and 2 at each node. */
    private final List<Feed> live = new ArrayList<>();

    private int node;
    private boolean finished;

    MovingSession(Nodes cluster, int number) throws IOException {
        this.cluster = cluster;
        node = number % cluster.count() + 1;
        int streams = 2 + 2 * cluster.count();
        mover =
                new Mover(
                        "mover-" + number,
                        IntStream.range(0, streams).map(i -> i % 2 + 1).boxed().toList());
        Client first = mover.connect(cluster.address(node), true);
        String topic = "moves/" + number;
        first.subscribe(1, topic, 2);
        first.read(Packet.SUBACK);
        first.close();
        for (int i = 0; i < streams; i++) {
            Feed.Stream stream = new Feed.Stream(i, topic, i % 2 + 1, PAYLOAD_BYTES);
            String id = "feed-" + number + "-" + i;
            if (i < 2) fill.add(new Feed(cluster.address(1), id, stream, FILL_WINDOW));
            else live.add(new Feed(cluster.address(i / 2), id, stream, LIVE_WINDOW));
        }
    }

    /**
     * Fills its queue to this length and connects to the next node.
     *
     * @param all whether the client stays until it has everything; else until it has half
     * @return time to the first message
     */
    long move(int length, boolean all) throws IOException {
        int more = (int) Math.max(0, length - (published() - mover.received()));
        fill.get(0).publish(more / 2);
        fill.get(1).publish(more - more / 2);
        for (Feed feed : fill) feed.awaitAcknowledged();
        node = node % cluster.count() + 1;
        long before = mover.received();
        try (Feed.Live traffic = new Feed.Live(live, LIVE_PAUSE_MS)) {
            long began = System.nanoTime();
            Client opened = mover.connect(cluster.address(node), false);
            read(opened, before + 1);
            long nanos = System.nanoTime() - began;
            read(opened, before + (all ? length : (length + 1) / 2));
            if (all) {
                traffic.stop();
                read(opened, published());
            }
            opened.close();
            return nanos;
        }
    }

    private void read(Client from, long goal) throws IOException {
        if (!mover.readUntil(from, goal)) {
            throw new IOException(
                    "mover at n%d: %d of %d messages have come"
                            .formatted(node, mover.received(), goal));
        }
    }

    /** Reads what is left; from here on what has not come is missing. */
    void finish() throws IOException {
        node = node % cluster.count() + 1;
        try (Client last = mover.connect(cluster.address(node), false)) {
            mover.readUntil(last, published());
        }
        finished = true;
    }

    boolean isFinished() {
        return finished;
    }

    /** Where it is, and of each stream what is published, acknowledged and received. */
    String describe() {
        StringBuilder text = new StringBuilder("at n" + node);
        for (Feed feed : feeds()) {
            text.append("; QoS ").append(feed.stream().qos()).append(": ");
            text.append(feed.published()).append(" / ").append(feed.acknowledged());
            text.append(" / ").append(history(feed).received());
        }
        return text.toString();
    }

    List<Feed> feeds() {
        List<Feed> all = new ArrayList<>(fill);
        all.addAll(live);
        return all;
    }

    History history(Feed feed) {
        return mover.history(feed.stream().number());
    }

    private long published() {
        return feeds().stream().mapToLong(Feed::published).sum();
    }
}
