package io.godwit.core.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One session as its client saw it, from the CONNACK that made it to its end. */
final class SessionView {
    /** What came of one message. */
    static final class Received {
        int copies;
        int live;
        int liveFresh;

        /** Of those, at QoS 0. */
        int liveAtQos0;

        int qos2;
        boolean acknowledged;

        /** Start of the broker at which it came first. */
        int firstStart;

        /** Start, and crashes, of the broker at which the connection was made it came on last. */
        int start;

        int crashes;
    }

    final SimulatedNode node;
    final int client;
    final long generation;
    final long queueId;
    boolean durable;
    boolean ended;
    final List<Subscribed> subscriptions = new ArrayList<>();
    final Map<Integer, Received> received = new HashMap<>();

    /** By publisher, its session, topic and QoS: the highest number that came. */
    final Map<String, Integer> lastInOrder = new HashMap<>();

    SessionView(SimulatedNode node, int client, long generation, long queueId, boolean durable) {
        this.node = node;
        this.client = client;
        this.generation = generation;
        this.queueId = queueId;
        this.durable = durable;
    }

    Received received(int number) {
        return received.computeIfAbsent(number, key -> new Received());
    }

    boolean hasAcknowledged(int number) {
        Received of = received.get(number);
        return of != null && of.acknowledged;
    }

    boolean hasReceived(int number) {
        return received.containsKey(number);
    }

    @Override
    public String toString() {
        return "c" + client + "'s session " + generation + (ended ? " (ended)" : "");
    }
}
