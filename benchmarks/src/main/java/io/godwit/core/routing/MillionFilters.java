package io.godwit.core.routing;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.KeyedHash;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * 900 000 filters without and 100 000 with wildcards, one subscriber each, ten filters per session.
 *
 * <p>The wildcard filters have 3 to 8 levels, each of 20 names, {@code +} at one or two of the
 * levels 2 to 6, and a third of them ends in {@code #} there instead. The exact filters have 5
 * levels and 33 to 37 bytes: {@code plant/03/line-17/device-00042/state}.
 */
@State(Scope.Benchmark)
public class MillionFilters {
    static final int EXACT = 900_000;
    static final int WILDCARDS = 100_000;
    private static final int FILTERS_PER_SESSION = 10;
    private static final int NAMES = 20;

    /**
     * Whether the exact topics have their levels from the same names as the wildcard filters, so
     * that the walk through the trie goes deep and some of them match, or lie in a branch of their
     * own.
     */
    @Param({"false", "true"})
    public boolean shared;

    final TopicIndex index = new TopicIndex(new KeyedHash(new Random(7)), FilterListener.NONE);

    /** All exact topics, in another order than that in which their filters were added. */
    final List<Topic> exactTopics = new ArrayList<>();

    /** 10 levels, of the names of the wildcard filters. */
    final List<Topic> deepTopics = new ArrayList<>();

    private final Random random = new Random(42);
    private int subscriptions;

    private static final class Client extends SessionRef {
        Client(int number) {
            super(new ClientId(bytes("client-" + number)), number, 0, false);
        }
    }

    private Client client = new Client(0);

    /** Fills the index. */
    @Setup(Level.Trial)
    public void fill() {
        List<String> filters = new ArrayList<>(exact());
        filters.addAll(wildcards());
        Collections.shuffle(filters, random);
        filters.forEach(filter -> index.add(subscription(filter)));
        for (int i = 0; i < 10_000; i++) {
            deepTopics.add(topic(names(10)));
        }
        if (index.size() != EXACT + WILDCARDS || index.filters() != EXACT + WILDCARDS) {
            throw new IllegalStateException("not a million: " + index.filters());
        }
    }

    /** One that is not in the index yet when the filter is not. */
    Subscription subscription(String filter) {
        if (subscriptions++ % FILTERS_PER_SESSION == 0) {
            client = new Client(subscriptions);
        }
        TopicFilter of = new TopicFilter(bytes(filter));
        return new Subscription(client, of, 1, false, false, new int[0]);
    }

    private List<String> exact() {
        Set<String> filters = new HashSet<>();
        while (filters.size() < EXACT) {
            filters.add(
                    shared
                            ? names(5) + "/device-%05d".formatted(random.nextInt(100_000))
                            : "plant/%02d/line-%02d/device-%05d/state"
                                    .formatted(
                                            random.nextInt(30),
                                            random.nextInt(30),
                                            random.nextInt(100_000)));
        }
        List<String> shuffled = new ArrayList<>(filters);
        Collections.shuffle(shuffled, random);
        shuffled.forEach(name -> exactTopics.add(topic(name)));
        return shuffled;
    }

    private Set<String> wildcards() {
        Set<String> filters = new HashSet<>();
        while (filters.size() < WILDCARDS) {
            String[] levels = names(3 + random.nextInt(6)).split("/", -1);
            int deepest = Math.min(6, levels.length);
            for (int i = 1 + random.nextInt(2); i > 0; i--) {
                levels[1 + random.nextInt(deepest - 1)] = "+";
            }
            int length = levels.length;
            if (random.nextInt(3) == 0) {
                length = 2 + random.nextInt(deepest - 1);
                levels[length - 1] = "#";
            }
            filters.add(String.join("/", List.of(levels).subList(0, length)));
        }
        return filters;
    }

    private String names(int levels) {
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < levels; i++) {
            name.append(i == 0 ? "" : "/").append("area-").append(10 + random.nextInt(NAMES));
        }
        return name.toString();
    }

    private static Topic topic(String name) {
        return new Topic(bytes(name));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
