package io.godwit.core.routing;

import java.util.List;
import java.util.random.RandomGenerator;

/** MQTT 5.0, 4.7 word by word, to compare with; and names that collide often. */
final class NaiveMatcher {
    private static final String[] LEVELS = {"", "a", "b", "Aa", "BB", "long-level-name", "ä"};

    private NaiveMatcher() {}

    static boolean matches(String filter, String topic) {
        if (topic.startsWith("$") && (filter.startsWith("+") || filter.startsWith("#"))) {
            return false;
        }
        return matches(levels(filter), levels(topic));
    }

    private static boolean matches(List<String> filter, List<String> topic) {
        if (filter.equals(List.of("#"))) {
            return true;
        }
        if (filter.isEmpty() || topic.isEmpty()) {
            return filter.isEmpty() && topic.isEmpty();
        }
        boolean first = filter.getFirst().equals("+") || filter.getFirst().equals(topic.getFirst());
        return first && matches(filter.subList(1, filter.size()), topic.subList(1, topic.size()));
    }

    private static List<String> levels(String name) {
        return List.of(name.split("/", -1));
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
