package io.godwit.benchmarks.load;

import java.util.List;
import java.util.stream.Collectors;

/**
 * One kind of load and the figure wanted.
 *
 * @param topicsEach topics of each publisher, used in turn; its subscribers have one exact filter
 *     for each
 * @param window unacknowledged QoS 1 messages per publisher
 * @param writeBytes the most that a publisher writes at once
 * @param subscribesPerSecond SUBSCRIBEs by other clients, each with a new filter on which nobody
 *     publishes
 * @param fixedRate messages a second, all publishers together; 0 = as fast as the broker reads
 * @param sessions how long sessions live, and when subscribers acknowledge
 * @param target messages per CPU-second of the broker, as a multiple of the control's: at least
 *     this
 */
public record Scenario(
        String name,
        int publishers,
        int subscribersEach,
        int topicsEach,
        int qos,
        int window,
        int payloadBytes,
        int writeBytes,
        int subscribesPerSecond,
        int fixedRate,
        Sessions sessions,
        double target) {
    public static final int WRITE_BYTES = 32 * 1024;
    public static final int PAYLOAD_BYTES = 100;

    /**
     * Sessions of clients.
     *
     * @param durable subscribers have clean session 0
     * @param durablePublishers publishers have it, too
     * @param ackDelayMs between PUBLISH and PUBACK
     */
    public record Sessions(boolean durable, boolean durablePublishers, int ackDelayMs) {
        public static final Sessions TRANSIENT = new Sessions(false, false, 0);

        /** Publishers have transient ones. */
        public static final Sessions DURABLE_SUBSCRIBERS = new Sessions(true, false, 0);

        public static final Sessions DURABLE = new Sessions(true, true, 0);
    }

    /** QoS 1 without a window worth the name: what 65 535 packet ids allow. */
    public static final int FLOOD_WINDOW = 60_000;

    static final List<Scenario> ALL =
            List.of(
                    pairs("flood", 1, 0, FLOOD_WINDOW, 0, 5),
                    pairs("flood-topics", 100, 0, FLOOD_WINDOW, 100, 4),
                    pairs("qos1-window", 1, 1, 100, 0, 4),
                    pairs("qos1-one", 1, 1, 1, 0, 1 / 1.1),
                    fanout("fanout-qos0", 0, 0, 20),
                    fanout("fanout-qos1", 1, 0, 20),
                    fanout("fanout50-qos0", 0, 50, 1),
                    fanout("fanout50-qos1", 1, 50, 1));

    static Scenario named(String name) {
        return ALL.stream()
                .filter(s -> s.name.equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException(
                                "no scenario '" + name + "'; there are " + names()));
    }

    static String names() {
        return ALL.stream().map(Scenario::name).collect(Collectors.joining(", "))
                + ", idle, "
                + ConnectCost.NAME
                + ", "
                + ColdStart.NAME
                + ", "
                + KnownReturn.NAME
                + ", "
                + String.join(", ", Library.NAMES)
                + ", all-durable, "
                + Durable.names();
    }

    /**
     * The same load with other blocks or another payload; for a look at one number, not for the
     * targets.
     */
    Scenario with(int otherPayloadBytes, int otherWriteBytes) {
        return with(publishers, subscribersEach, otherPayloadBytes, otherWriteBytes);
    }

    /** The same load with fewer or more publishers. */
    public Scenario withPublishers(int count) {
        return with(count, subscribersEach, payloadBytes, writeBytes);
    }

    /** The same load with fewer or more subscribers of each publisher. */
    public Scenario withSubscribers(int each) {
        return with(publishers, each, payloadBytes, writeBytes);
    }

    private Scenario with(
            int otherPublishers,
            int otherSubscribersEach,
            int otherPayloadBytes,
            int otherWriteBytes) {
        return new Scenario(
                name,
                otherPublishers,
                otherSubscribersEach,
                topicsEach,
                qos,
                window,
                otherPayloadBytes,
                otherWriteBytes,
                subscribesPerSecond,
                fixedRate,
                sessions,
                target);
    }

    private static Scenario pairs(
            String name, int topics, int qos, int window, int subscribes, double target) {
        return new Scenario(
                name,
                100,
                1,
                topics,
                qos,
                window,
                PAYLOAD_BYTES,
                WRITE_BYTES,
                subscribes,
                0,
                Sessions.TRANSIENT,
                target);
    }

    private static Scenario fanout(String name, int qos, int rate, double target) {
        return new Scenario(
                name,
                1,
                1_000,
                1,
                qos,
                FLOOD_WINDOW,
                PAYLOAD_BYTES,
                WRITE_BYTES,
                0,
                rate,
                Sessions.TRANSIENT,
                target);
    }
}
