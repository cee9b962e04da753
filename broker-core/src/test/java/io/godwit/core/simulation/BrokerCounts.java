package io.godwit.core.simulation;

import io.godwit.core.metrics.Metric;

/** What the brokers of a node have counted, those that are gone included. */
final class BrokerCounts {
    private final Simulation run;
    private final SimulatedNode node;

    /** By brokers that are gone. */
    private long refusedBefore;

    private long qos0DroppedBefore;
    private long fullBefore;
    private long expiredBefore;
    private long tooLargeBefore;
    private long cutOffBefore;

    BrokerCounts(Simulation run, SimulatedNode node) {
        this.run = run;
        this.node = node;
    }

    /** A broker is no more. */
    void gone(Incarnation of) {
        refusedBefore += total(of, Metric.REFUSED_ALARM);
        fullBefore += full(of);
        expiredBefore += total(of, Metric.DROPPED_EXPIRED);
        tooLargeBefore += total(of, Metric.DROPPED_TOO_LARGE);
        qos0DroppedBefore += qos0Dropped(of);
        cutOffBefore += total(of, Metric.DROPPED_NODE_TRANSIENT);
        gather(of);
    }

    /** Tells the run what a broker has done. */
    void gather(Incarnation of) {
        add(of, Happening.HAND_OVER, Metric.SESSIONS_HANDED_OVER);
        add(of, Happening.TAKEOVER, Metric.TAKEOVERS);
        add(of, Happening.SESSION_EXPIRED, Metric.SESSIONS_EXPIRED);
        add(of, Happening.KEEP_ALIVE_TIMEOUT, Metric.KEEP_ALIVE_TIMEOUTS);
        add(of, Happening.QOS0_DROPPED, Metric.DROPPED_QOS0_SLOW);
        add(of, Happening.MESSAGE_EXPIRED, Metric.DROPPED_EXPIRED);
        add(of, Happening.TOO_LARGE, Metric.DROPPED_TOO_LARGE);
        add(of, Happening.PAGE_UNREADABLE, Metric.STORE_READ_FAILURES);
        add(of, Happening.DROPPED_FOR_TRANSIENT, Metric.DROPPED_NODE_TRANSIENT);
        run.count(Happening.DISCARDED_FULL, full(of));
    }

    private void add(Incarnation of, Happening happening, Metric metric) {
        run.count(happening, total(of, metric));
    }

    private static long total(Incarnation of, Metric metric) {
        long sum = 0;
        for (int i = 0; i < of.broker.shards(); i++) {
            sum += of.broker.shard(i).counters().total(metric);
        }
        return sum;
    }

    /**
     * Messages of QoS 0 that the brokers have dropped, since a client did not read, or in an alarm.
     */
    long qos0Dropped() {
        Incarnation now = node.broker();
        return qos0DroppedBefore + (now == null ? 0 : qos0Dropped(now));
    }

    private static long qos0Dropped(Incarnation of) {
        return total(of, Metric.DROPPED_QOS0_SLOW) + total(of, Metric.DROPPED_QOS0_ALARM);
    }

    private static long full(Incarnation of) {
        return total(of, Metric.DROPPED_QUEUE_FULL) + total(of, Metric.DROPPED_GROUP_FULL);
    }

    /** Messages that queues have discarded or refused so far, since they were full. */
    long full() {
        Incarnation now = node.broker();
        return fullBefore + (now == null ? 0 : full(now));
    }

    /** Messages whose expiry interval has passed in a queue so far. */
    long expired() {
        Incarnation now = node.broker();
        return expiredBefore + (now == null ? 0 : total(now, Metric.DROPPED_EXPIRED));
    }

    /** Messages that were too large for a client so far. */
    long tooLarge() {
        Incarnation now = node.broker();
        return tooLargeBefore + (now == null ? 0 : total(now, Metric.DROPPED_TOO_LARGE));
    }

    /**
     * Messages that were not kept for a node out of reach so far, since nobody there was durable.
     */
    long cutOff() {
        Incarnation now = node.broker();
        return cutOffBefore + (now == null ? 0 : total(now, Metric.DROPPED_NODE_TRANSIENT));
    }

    /** PUBLISHes that were refused so far, as they are while memory is short or a queue is full. */
    long refused() {
        Incarnation now = node.broker();
        long inAlarms = refusedBefore + (now == null ? 0 : total(now, Metric.REFUSED_ALARM));
        return inAlarms + full();
    }
}
