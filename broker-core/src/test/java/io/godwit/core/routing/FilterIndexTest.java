package io.godwit.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Filters with something else than subscribers at them: here each has its own text. */
class FilterIndexTest {
    private final FilterIndex<String> index = new FilterIndex<>(TestIndex.hash(3));
    private final FilterMatcher<String> matcher = index.matcher();

    private List<String> matched(String topic) {
        int count = matcher.match(Topic.of(topic));
        List<String> matched = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            matched.add((String) matcher.matched()[i]);
        }
        return matched;
    }

    private void replace(String filter, String with) {
        TopicFilter of = TopicFilter.of(filter);
        index.replace(of, index.find(of), with);
    }

    @Test
    void what_stands_at_each_filter_that_matches_is_found_once() {
        replace("a/b", "exact");
        replace("a/+", "plus");
        replace("a/b/#", "multi");
        replace("b", "another");
        assertThat(matched("a/b")).containsExactlyInAnyOrder("exact", "plus", "multi");
        replace("a/+", "newer");
        assertThat(matched("a/b")).containsExactlyInAnyOrder("exact", "newer", "multi");
        assertThat(index.size()).isEqualTo(4);
    }

    @Test
    void random_filters_are_those_of_the_naive_matcher() {
        SplittableRandom random = new SplittableRandom(5);
        Map<String, String> model = new TreeMap<>();
        int found = 0;
        for (int step = 0; step < 6_000; step++) {
            String filter = NaiveMatcher.randomFilter(random);
            TopicFilter of = TopicFilter.of(filter);
            String before = index.find(of);
            assertThat(before).isEqualTo(model.get(filter));
            if (random.nextInt(10) < (step / 1_000 % 2 == 0 ? 7 : 3)) {
                index.replace(of, before, filter + "=" + step);
                model.put(filter, filter + "=" + step);
            } else {
                index.replace(of, before, null);
                model.remove(filter);
            }
            assertThat(index.size()).isEqualTo(model.size());
            String topic = NaiveMatcher.randomTopic(random);
            List<String> expected = new ArrayList<>();
            model.forEach((each, entry) -> {
                if (NaiveMatcher.matches(each, topic)) {
                    expected.add(entry);
                }
            });
            List<String> matched = matched(topic);
            matched.sort(null);
            expected.sort(null);
            assertThat(matched).isEqualTo(expected);
            found += expected.size();
        }
        assertThat(found).isGreaterThan(3_000);
        model.keySet()
                .forEach(filter -> {
                    TopicFilter of = TopicFilter.of(filter);
                    index.replace(of, index.find(of), null);
                });
        assertThat(index.wildcards().isEmpty()).isTrue();
        assertThat(index.exact().size()).isZero();
    }
}
