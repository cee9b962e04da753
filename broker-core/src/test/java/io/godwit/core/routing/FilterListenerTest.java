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
        public void onSessions(TopicFilter filter, GroupState state) {
            assertThat(FilterNode.sessionsOf(index.index().find(filter))).isEqualTo(state);
            String sign = state.isNone() ? "-" : state.isTransient() ? "t" : "+";
            told.add(sign + filter + "@" + index.version());
        }

        @Override
        public void onGroup(TopicFilter filter, GroupState state) {
            told.add(state + " " + filter + "@" + index.version());
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
    void the_first_and_the_last_durable_subscriber_of_a_filter_are_told_of() {
        TestSession passing = new TestSession("passing", 3, false);
        index.add(passing.to("a"));
        index.add(alice.to("a"));
        index.add(bob.to("a"));
        index.remove(TopicFilter.of("a"), alice);
        index.remove(TopicFilter.of("a"), bob);
        index.remove(TopicFilter.of("a"), passing);
        assertThat(told).containsExactly("ta@1", "+a@2", "ta@5", "-a@6");
    }

    @Test
    void a_group_is_told_of_as_transient_while_no_member_is_durable() {
        TestGroup group = new TestGroup("$share/g/a");
        index.addGroup(group, false);
        index.groupChanged(group, GroupState.ONLINE);
        index.groupDurable(group, true);
        index.groupDurable(group, true);
        index.groupChanged(group, GroupState.WAITING);
        index.groupDurable(group, false);
        assertThat(told)
                .containsExactly(
                        "TRANSIENT_WAITING $share/g/a@1",
                        "TRANSIENT_ONLINE $share/g/a@1",
                        "ONLINE $share/g/a@1",
                        "WAITING $share/g/a@1",
                        "TRANSIENT_WAITING $share/g/a@1");
    }

    @Test
    void groups_are_told_of_by_their_whole_filters_and_apart_from_sessions() {
        TestGroup first = new TestGroup("$share/g/a/+");
        TestGroup second = new TestGroup("$share/h/a/+");
        index.addGroup(first);
        index.addGroup(second);
        index.add(alice.to("a/+"));
        assertThat(told)
                .containsExactly("WAITING $share/g/a/+@1", "WAITING $share/h/a/+@2", "+a/+@3");
        told.clear();

        index.groupChanged(first, GroupState.ONLINE);
        index.remove(TopicFilter.of("a/+"), alice);
        index.removeGroup(first);
        index.groupChanged(first, GroupState.ONLINE);
        index.add(alice.to("a/+"));
        index.removeGroup(second);
        assertThat(told)
                .containsExactly(
                        "ONLINE $share/g/a/+@3",
                        "-a/+@4",
                        "NONE $share/g/a/+@5",
                        "+a/+@6",
                        "NONE $share/h/a/+@7");
    }
}
