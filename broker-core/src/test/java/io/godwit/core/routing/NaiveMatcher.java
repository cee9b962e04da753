package io.godwit.core.routing;

import java.util.random.RandomGenerator;

/**
 * MQTT 5.0, 4.7 word by word, to compare with; and names that meet often, also as hashes (Aa, BB)
 * and on both sides of the slash in the order of bytes (a!, a0).
 */
final class NaiveMatcher {
    private static final String[] LEVELS = {
        "", "a", "a!", "a0", "Aa", "BB", "long-level-name", "ä"
    };

    private NaiveMatcher() {}

    static boolean matches(String filter, String topic) {
        if (topic.startsWith("$") && (filter.startsWith("+") || filter.startsWith("#"))) {
            return false;
        }
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

    static String randomTopic(RandomGenerator random) {
        while (true) {
            StringBuilder topic = new StringBuilder(random.nextInt(12) == 0 ? "$" : "");
            int levels = 1 + random.nextInt(5);
            for (int i = 0; i < levels; i++) {
                topic.append(i == 0 ? "" : "/").append(LEVELS[random.nextInt(LEVELS.length)]);
            }
            if (!topic.isEmpty()) {
                return topic.toString();
            }
        }
    }

    static String randomFilter(RandomGenerator random) {
        String[] levels = randomTopic(random).split("/", -1);
        for (int i = 0; i < levels.length; i++) {
            if (random.nextInt(4) == 0) {
                levels[i] = "+";
            }
        }
        if (random.nextInt(4) == 0) {
            levels[levels.length - 1] = "#";
        }
        return String.join("/", levels);
    }
}
