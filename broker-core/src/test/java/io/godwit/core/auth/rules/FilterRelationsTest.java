package io.godwit.core.auth.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ClientId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A pattern covers or overlaps a filter exactly if the topics say so, for all filters and topics of
 * a small alphabet. One letter of the topics stands in no filter: it is all those that nobody
 * named.
 */
class FilterRelationsTest {
    private static final PlaceholderValues NO_VALUES =
            PlaceholderValues.of(
                    new Subject(
                            ClientId.of(""),
                            Identity.ANONYMOUS,
                            new Peer("127.0.0.1:1", true, "mqtt")));

    @Test
    void covers_and_overlaps_are_what_the_topics_say() {
        List<String> filters = paths(List.of("a", "b", "", "+", "$s"), 3);
        for (String each : List.copyOf(filters)) {
            if (each.split("/", -1).length < 3) filters.add(each + "/#");
        }
        filters.add("#");
        filters.add("/");
        List<String> topics = paths(List.of("a", "b", "", "z", "$s"), 4);
        List<BitSet> matched = new ArrayList<>();
        for (String filter : filters) {
            BitSet set = new BitSet();
            for (int i = 0; i < topics.size(); i++) {
                set.set(i, NaiveFilter.matches(filter, topics.get(i)));
            }
            matched.add(set);
        }
        for (int p = 0; p < filters.size(); p++) {
            TopicPattern pattern = TopicPattern.of(filters.get(p));
            for (int f = 0; f < filters.size(); f++) {
                byte[] filter = filters.get(f).getBytes(StandardCharsets.UTF_8);
                BitSet outside = (BitSet) matched.get(f).clone();
                outside.andNot(matched.get(p));
                String pair = filters.get(p) + " and " + filters.get(f);
                if (pattern.covers(filter, NO_VALUES) != outside.isEmpty()) {
                    throw new AssertionError("covers: " + pair);
                }
                if (pattern.overlaps(filter, NO_VALUES)
                        != matched.get(p).intersects(matched.get(f))) {
                    throw new AssertionError("overlaps: " + pair);
                }
            }
        }
        assertThat(filters).hasSizeGreaterThan(150);
    }

    @Test
    void topic_is_covered_and_overlapped_where_it_is_matched() {
        List<String> patterns = paths(List.of("a", "", "+", "$s"), 3);
        patterns.add("a/#");
        patterns.add("#");
        for (String pattern : patterns) {
            for (String topic : paths(List.of("a", "", "z", "$s"), 4)) {
                byte[] bytes = topic.getBytes(StandardCharsets.UTF_8);
                boolean matches = NaiveFilter.matches(pattern, topic);
                assertThat(TopicPattern.of(pattern).covers(bytes, NO_VALUES)).isEqualTo(matches);
                assertThat(TopicPattern.of(pattern).overlaps(bytes, NO_VALUES)).isEqualTo(matches);
            }
        }
    }

    /** Returns all paths of up to so many of these levels but the empty one. */
    private static List<String> paths(List<String> levels, int most) {
        List<String> all = new ArrayList<>();
        List<String> longest = levels;
        for (int i = 1; i <= most; i++) {
            longest.stream().filter(each -> !each.isEmpty()).forEach(all::add);
            List<String> next = new ArrayList<>();
            for (String each : longest) {
                levels.forEach(level -> next.add(each + "/" + level));
            }
            longest = next;
        }
        return all;
    }
}
