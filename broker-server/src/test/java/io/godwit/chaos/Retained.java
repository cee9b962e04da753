package io.godwit.chaos;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * What was published with RETAIN. Each topic has one publisher with one message under way at a
 * time, so the value may be the last that was acknowledged, or any that was sent after it.
 */
final class Retained {
    private static final class Topic {
        int sent;
        int acked;
    }

    private final Checker checker;
    private final Map<String, Topic> topics = new HashMap<>();

    Retained(Checker checker) {
        this.checker = checker;
    }

    /** Each topic has one QoS. */
    static int qosOf(String topic) {
        return 1 + topic.charAt(topic.length() - 1) % 2;
    }

    /** Some messages are empty and take the value away. */
    static boolean deletes(int seq) {
        return seq % 5 == 0;
    }

    void sent(Mark mark) {
        topics.computeIfAbsent(mark.topic(), t -> new Topic()).sent = mark.seq();
    }

    void acked(Mark mark) {
        Objects.requireNonNull(topics.get(mark.topic())).acked = mark.seq();
    }

    /** The lowest that each topic may show from now on. */
    Map<String, Integer> acknowledged() {
        Map<String, Integer> acknowledged = new HashMap<>();
        topics.forEach((name, topic) -> acknowledged.put(name, topic.acked));
        return acknowledged;
    }

    /** Topics that must have a value whatever has arrived of what is under way. */
    Set<String> certain() {
        Set<String> certain = new TreeSet<>();
        topics.forEach((name, topic) -> {
            if (topic.acked > 0 && topic.acked == topic.sent && !deletes(topic.acked)) {
                certain.add(name);
            }
        });
        return certain;
    }

    /**
     * @param least of {@link #acknowledged} when the reader subscribed
     * @param certain of {@link #certain} at that moment; what is not in it need not have come yet
     * @param values what it got, by topic
     */
    void check(Map<String, Integer> least, Set<String> certain, Map<String, Mark> values) {
        least.forEach((name, acked) -> {
            Topic topic = Objects.requireNonNull(topics.get(name));
            Mark value = values.get(name);
            if (value == null) {
                if (certain.contains(name)) {
                    report(name, "has no value; #" + acked + " was acknowledged");
                }
            } else if (value.seq() < acked || value.seq() > topic.sent || deletes(value.seq())) {
                report(name, "is " + value + "; #" + acked + " was acknowledged");
            }
        });
    }

    private void report(String topic, String text) {
        checker.report(Violation.Kind.RETAINED, "retained", topic, topic + " " + text);
    }
}
