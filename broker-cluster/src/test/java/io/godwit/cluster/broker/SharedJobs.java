package io.godwit.cluster.broker;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Messages of {@link RoamingClients} for a shared group that all its subscribers are members of.
 */
final class SharedJobs {
    static final String TOPIC = "jobs";
    static final String FILTER = "$share/g/" + TOPIC;

    /** By number, the QoS at which it was sent. */
    private final Map<Integer, Integer> sent = new HashMap<>();

    private final Set<Integer> acknowledged = new HashSet<>();
    private final Set<Integer> received = new HashSet<>();

    void sent(int number, int qos) {
        sent.put(number, qos);
    }

    boolean has(int number) {
        return sent.containsKey(number);
    }

    void acknowledged(int number) {
        if (has(number)) {
            acknowledged.add(number);
        }
    }

    /**
     * A member has got one.
     *
     * @return whether it was of QoS 2 and had come before, to this or another one
     */
    boolean received(int number) {
        return !received.add(number) && sent.getOrDefault(number, 0) == 2;
    }

    /** What was acknowledged and no member has got. */
    Set<Integer> missing() {
        Set<Integer> missing = new HashSet<>(acknowledged);
        missing.removeAll(received);
        return missing;
    }
}
