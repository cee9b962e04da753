package io.godwit.core.simulation;

import java.util.function.ToIntFunction;
import java.util.random.RandomGenerator;

/** The names that a run uses: few, so that everything overlaps. */
final class Topics {
    private static final String[] PLAIN = {"t/0", "t/1", "t/2", "t/a/0", "t/a/1"};
    private static final String[] FILTERS = {
        "t/0", "t/1", "t/2", "t/a/1", "t/+", "t/#", "+/1", "t/a/+", "+/a/#", "t/+/0"
    };

    private Topics() {}

    static String plain(RandomGenerator random) {
        return PLAIN[random.nextInt(PLAIN.length)];
    }

    /** A topic to which this client alone publishes, always with RETAIN. */
    static String retained(int client) {
        return "r/" + client;
    }

    /** A topic to which many clients publish, always with RETAIN. */
    static String contended(RandomGenerator random) {
        return "s/" + random.nextInt(2);
    }

    /** A topic that only members of one group, at several nodes, subscribe to. */
    static String shared(RandomGenerator random) {
        return "q/" + random.nextInt(2);
    }

    /** A topic that is new every second, so that nobody at a node has subscribed to it before. */
    static String late(long micros, RandomGenerator random) {
        return "n/" + (micros / 1_000_000 - random.nextInt(2));
    }

    static boolean isShared(String filter) {
        return filter.startsWith("$share/g0/q/");
    }

    static boolean isContended(String topic) {
        return topic.startsWith("s/");
    }

    static String will(int client) {
        return "w/" + client;
    }

    static String filter(RandomGenerator random, ToIntFunction<RandomGenerator> anyClient) {
        int kind = random.nextInt(12);
        if (kind == 0) {
            return "r/#";
        }
        if (kind <= 2) {
            return retained(anyClient.applyAsInt(random));
        }
        return FILTERS[random.nextInt(FILTERS.length)];
    }

    /** MQTT 5.0, 4.7 word by word. */
    static boolean matches(String filter, String topic) {
        return matches(filter.split("/", -1), topic.split("/", -1), 0);
    }

    private static boolean matches(String[] filter, String[] topic, int level) {
        if (level == filter.length - 1 && filter[level].equals("#")) {
            return true;
        }
        if (level == filter.length || level == topic.length) {
            return filter.length == topic.length;
        }
        return (filter[level].equals("+") || filter[level].equals(topic[level]))
                && matches(filter, topic, level + 1);
    }
}
