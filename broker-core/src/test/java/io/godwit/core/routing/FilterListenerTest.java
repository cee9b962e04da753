package io.godwit.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FilterListenerTest {
    private final List<String> told = new ArrayList<>();
    private final TopicIndex index = new TopicIndex(TestIndex.hash(1), new Listener());
    private final TestSession alice = new TestSession(1);
    private final TestSession bob = new TestSession(2);

    /** Notes what it is told, and whether the index shows it already. */
    private final class Listener implements FilterListener {
        @Override
        public void onFirst(TopicFilter filter) {
            assertThat(index.index().find(filter)).isNotNull();
            told.add("+" + filter + "@" + index.version());
        }

        @Override
        public void onLast(TopicFilter filter) {
            assertThat(index.index().find(filter)).isNull();
            told.add("-" + filter + "@" + index.version());
        }
    }

    private static final class TestGroup extends SharedGroupRef {
        TestGroup(String filter) {
            super(TopicFilter.of(filter), 0);
        }
    }

    @Test
    void only_the_first_and_the_last_subscriber_of_a_filter_are_told_of() {
        index.add(alice.to("a/b"));
        index.add(bob.to("a/b"));
        index.add(alice.to("a/b", 2));
        index.add(bob.to("+/#"));
        assertThat(told).containsExactly("+a/b@1", "++/#@4");
        told.clear();

        index.remove(TopicFilter.of("a/b"), alice);
        index.remove(TopicFilter.of("a/b"), alice);
        assertThat(told).isEmpty();
        index.remove(TopicFilter.of("a/b"), bob);
        index.remove(TopicFilter.of("+/#"), bob);
        assertThat(told).containsExactly("-a/b@6", "-+/#@7");
    }

    @Test
    void a_group_counts_as_a_subscriber_of_the_filter_behind_its_name() {
        TestGroup first = new TestGroup("$share/g/a/+");
        TestGroup second = new TestGroup("$share/h/a/+");
        index.addGroup(first);
        index.addGroup(second);
        index.add(alice.to("a/+"));
        assertThat(told).containsExactly("+a/+@1");
        index.removeGroup(first);
        index.removeGroup(second);
        assertThat(told).hasSize(1);
        index.remove(TopicFilter.of("a/+"), alice);
        assertThat(told).containsExactly("+a/+@1", "-a/+@6");
    }
}
