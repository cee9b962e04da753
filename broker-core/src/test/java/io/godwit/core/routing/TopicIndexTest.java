package io.godwit.core.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopicIndexTest {
    private final TopicIndex index = TestIndex.empty();
    private final TestSession alice = new TestSession(1);
    private final TestSession bob = new TestSession(2);

    private Route route(String topic) {
        return index.route(Topic.of(topic));
    }

    private List<Subscription> subscriptions(String topic) {
        Route route = route(topic);
        return entries(route).stream().filter(Objects::nonNull).toList();
    }

    /** The entries of a route, those that were cleared meanwhile included. */
    private static List<Subscription> entries(Route route) {
        List<Subscription> entries = new ArrayList<>();
        for (int i = 0; i < route.count(); i++) {
            entries.add(route.at(i));
        }
        return entries;
    }

    private List<SessionRef> sessions(String topic) {
        return subscriptions(topic).stream().map(s -> s.session).toList();
    }

    private static final class TestGroup extends SharedGroupRef {
        TestGroup(String filter) {
            super(TopicFilter.of(filter), 0);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "a/b, a/b, true",
        "a/b, a/c, false",
        "a/#, a, true",
        "a/#, a/, true",
        "a/#, a/b/c, true",
        "a/#, ab, false",
        "a/+, a, false",
        "a/+, a/, true",
        "a/+, a/b/c, false",
        "+/+, /finance, true",
        "/+, /finance, true",
        "+, /finance, false",
        "+, finance, true",
        "#, a/b, true",
        "#, /, true",
        "/, /, true",
        "//#, /, true",
        "a//b, a//b, true",
        "a//b, a/b, false",
        "+//b, a//b, true",
        "#, $SYS/a, false",
        "+/a, $SYS/a, false",
        "$SYS/#, $SYS, true",
        "$SYS/+, $SYS/a, true",
        "$SYS/#, $SYS/a/b, true",
        "+/$a, x/$a, true",
        "A/B, a/b, false",
    })
    void a_filter_matches_as_section_4_7_says(String filter, String topic, boolean matches) {
        index.add(alice.to(filter));

        assertThat(sessions(topic)).isEqualTo(matches ? List.of(alice) : List.of());
        assertThat(NaiveMatcher.matches(filter, topic)).isEqualTo(matches);
    }

    @Test
    void a_subscription_knows_the_version_at_which_it_was_added() {
        index.add(alice.to("a"));
        Subscription s = bob.to("a/+");
        index.add(s);

        assertThat(s.addedAt()).isEqualTo(2).isEqualTo(index.version());
        assertThat(route("a/b").version()).isEqualTo(2);
    }

    @Test
    void the_version_grows_with_each_change_and_not_without_one() {
        index.add(alice.to("a"));
        index.add(alice.to("a"));
        assertThat(index.version()).isEqualTo(2);
        index.remove(TopicFilter.of("a"), bob);
        index.remove(TopicFilter.of("b"), alice);
        assertThat(index.version()).isEqualTo(2);
        index.remove(TopicFilter.of("a"), alice);
        assertThat(index.version()).isEqualTo(3);
    }

    @Test
    void a_shared_filter_is_refused_here() {
        assertThatThrownBy(() -> index.add(alice.to("$share/g/a")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(index.size()).isZero();
    }

    @Nested
    class Given_one_filter_with_many_subscribers {
        private static final int MANY = 20_000;
        private final List<TestSession> many = new ArrayList<>();

        Given_one_filter_with_many_subscribers() {
            for (int i = 0; i < MANY; i++) {
                many.add(new TestSession(i));
                index.add(many.get(i).to("all"));
            }
        }

        private int room(String filter) {
            FilterNode entry =
                    (FilterNode) Objects.requireNonNull(index.index().find(TopicFilter.of(filter)));
            SubscriberSet set = Objects.requireNonNull(entry.sessions());
            return Arrays.stream(set.chunks()).mapToInt(chunk -> chunk.length).sum();
        }

        @Test
        void when_one_subscribes_again_then_its_entry_is_replaced_in_its_place() {
            Route before = route("all");
            Subscription newer = many.get(7).to("all", 2);
            Subscription replaced = index.add(newer);

            assertThat(Objects.requireNonNull(replaced).session).isSameAs(many.get(7));
            assertThat(replaced.qos).isEqualTo((byte) 1);
            assertThat(index.size()).isEqualTo(MANY);
            assertThat(entries(before)).contains(newer).doesNotContain(replaced);
        }

        @Test
        void when_one_leaves_and_returns_then_a_route_made_before_shows_it_at_most_once() {
            Route before = route("all");
            index.remove(TopicFilter.of("all"), many.get(7));
            index.add(many.get(7).to("all"));

            assertThat(entries(before))
                    .filteredOn(s -> s != null && s.session.equals(many.get(7)))
                    .hasSizeLessThanOrEqualTo(1);
            assertThat(sessions("all")).hasSize(MANY).containsOnlyOnce(many.get(7));
        }

        @Test
        void when_one_leaves_and_returns_amid_a_fan_out_then_it_is_not_reached_twice() {
            index.remove(TopicFilter.of("all"), many.get(9));
            Route route = route("all");
            List<SessionRef> reached = new ArrayList<>();
            for (int i = 0; i < route.count(); i++) {
                Subscription s = route.at(i);
                if (s != null) {
                    reached.add(s.session);
                }
                if (i == 8) {
                    index.remove(TopicFilter.of("all"), many.get(7));
                    index.add(new TestSession(MANY).to("all")); // into a hole, if they were filled
                    index.add(many.get(7).to("all"));
                }
            }

            assertThat(reached).containsOnlyOnce(many.get(7)).hasSize(MANY - 1);
        }

        @Test
        void when_half_of_them_leave_then_the_others_stay() {
            for (int i = 0; i < MANY; i += 2) {
                assertThat(index.remove(TopicFilter.of("all"), many.get(i))).isNotNull();
            }

            assertThat(sessions("all")).hasSize(MANY / 2).doesNotHaveDuplicates();
            assertThat(index.size()).isEqualTo(MANY / 2);
            assertThat(index.remove(TopicFilter.of("all"), many.get(0))).isNull();
        }

        @Test
        void when_all_leave_then_nothing_is_kept() {
            for (TestSession session : many.reversed()) {
                assertThat(index.remove(TopicFilter.of("all"), session)).isNotNull();
            }

            assertThat(route("all").isEmpty()).isTrue();
            assertThat(index.filters()).isZero();
        }

        @Test
        void when_one_comes_and_goes_often_then_the_array_stays_small() {
            for (int i = 0; i < 5 * MANY; i++) {
                index.remove(TopicFilter.of("all"), many.get(3));
                index.add(many.get(3).to("all"));
            }

            assertThat(room("all")).isLessThan(2 * MANY);
            assertThat(sessions("all")).hasSize(MANY);
        }

        @Test
        void when_another_filter_matches_some_of_them_too_then_each_is_there_once() {
            for (int i = 0; i < MANY; i += 3) {
                index.add(many.get(i).to("+", 2, 5));
            }

            assertThat(sessions("all")).hasSize(MANY).doesNotHaveDuplicates();
            assertThat(subscriptions("all"))
                    .filteredOn(s -> s.qos == 2)
                    .hasSize((MANY + 2) / 3)
                    .allMatch(s -> s.ids.length == 1 && s.session.generation() % 3 == 0);
        }

        @Test
        void a_route_of_this_filter_alone_is_no_copy() {
            Route route = route("all");
            Subscription third = route.at(3);
            assertThat(third).isNotNull();
            index.remove(TopicFilter.of("all"), third.session);
            assertThat(route.at(3)).isNull();
        }
    }

    @Nested
    class Given_overlapping_subscriptions_of_one_session {
        @Test
        void then_there_is_one_entry_with_the_highest_qos_and_all_identifiers() {
            index.add(alice.to("a/b", 0, 11));
            index.add(alice.to("a/+", 2, 12));
            index.add(alice.to("#", 1));
            index.add(alice.to("a/#", 1, 11));

            assertThat(subscriptions("a/b")).hasSize(1);
            Subscription s = subscriptions("a/b").getFirst();
            assertThat(s.qos).isEqualTo((byte) 2);
            assertThat(s.ids).containsExactlyInAnyOrder(11, 11, 12);
            assertThat(s.filter).isEqualTo(TopicFilter.of("a/+"));
            assertThat(s.addedAt()).isEqualTo(1);
            assertThat(s.noLocal).isFalse();
        }

        @Test
        void when_one_has_no_local_then_an_own_message_comes_by_the_others_alone() {
            index.add(alice.noLocalTo("a/b", 2, 1));
            index.add(alice.to("a/+", 0, 2));
            index.add(alice.to("a/#", 1, 3));

            Subscription s = subscriptions("a/b").getFirst();
            Subscription own = Objects.requireNonNull(s.forPublisher(alice.clientId()));
            Subscription others = Objects.requireNonNull(s.forPublisher(bob.clientId()));

            assertThat(own.qos).isEqualTo((byte) 1);
            assertThat(own.ids).containsExactlyInAnyOrder(2, 3);
            assertThat(others.qos).isEqualTo((byte) 2);
            assertThat(others.ids).containsExactlyInAnyOrder(1, 2, 3);
            assertThat(s.forPublisher(null)).isSameAs(s);
        }

        @Test
        void when_all_have_no_local_then_an_own_message_does_not_come() {
            index.add(alice.noLocalTo("a/b", 2));
            index.add(alice.noLocalTo("a/+", 1));

            Subscription s = subscriptions("a/b").getFirst();
            assertThat(s.noLocal).isTrue();
            assertThat(s.forPublisher(alice.clientId())).isNull();
            assertThat(s.forPublisher(bob.clientId())).isSameAs(s);
        }

        @Test
        void when_only_one_matches_then_no_local_is_its_own() {
            index.add(alice.noLocalTo("a/b", 2));

            Subscription s = subscriptions("a/b").getFirst();
            assertThat(s.forPublisher(alice.clientId())).isNull();
            assertThat(s.forPublisher(ClientId.of("c1")))
                    .as("another session of the same client id")
                    .isNull();
            assertThat(s.forPublisher(bob.clientId())).isSameAs(s);
        }

        @Test
        void when_any_retains_as_published_then_the_copy_does() {
            TopicFilter filter = TopicFilter.of("a/+");
            index.add(new Subscription(alice, filter, 0, false, true, new int[0]));
            index.add(alice.to("a/b", 2));

            assertThat(subscriptions("a/b").getFirst().retainAsPublished).isTrue();
        }

        @Test
        void when_one_is_removed_then_the_other_is_left() {
            index.add(alice.to("a/b", 2, 1));
            index.add(alice.to("a/+", 1, 2));
            index.remove(TopicFilter.of("a/b"), alice);

            assertThat(subscriptions("a/b").getFirst().ids).containsExactly(2);
            assertThat(index.filters()).isEqualTo(1);
        }
    }

    @Nested
    class Given_shared_subscription_groups {
        @Test
        void each_group_that_matches_is_there_once_beside_the_sessions() {
            TestGroup exact = new TestGroup("$share/g/a/b");
            TestGroup wild = new TestGroup("$share/g/a/+");
            TestGroup other = new TestGroup("$share/h/a/b");
            index.addGroup(exact);
            index.addGroup(wild);
            index.addGroup(other);
            index.add(alice.to("a/b"));

            Route route = route("a/b");
            assertThat(route.groups()).containsExactlyInAnyOrder(exact, wild, other);
            assertThat(sessions("a/b")).isEqualTo(List.of(alice));
            assertThat(route("a/c").groups()).containsExactly(wild);
            assertThat(index.groups()).isEqualTo(3);
        }

        @Test
        void a_group_comes_and_goes() {
            TestGroup group = new TestGroup("$share/g/a/+");
            assertThat(index.addGroup(group)).isTrue();
            assertThat(index.addGroup(group)).isFalse();
            assertThat(index.version()).isEqualTo(1);
            assertThat(index.removeGroup(group)).isTrue();
            assertThat(index.removeGroup(group)).isFalse();

            assertThat(index.version()).isEqualTo(2);
            assertThat(route("a/b").isEmpty()).isTrue();
            assertThat(index.filters()).isZero();
            assertThat(index.groups()).isZero();
        }

        @Test
        void a_shared_filter_that_begins_with_a_wildcard_does_not_see_system_topics() {
            index.addGroup(new TestGroup("$share/g/#"));

            assertThat(route("$SYS/a").groups()).isEmpty();
            assertThat(route("SYS/a").groups()).hasSize(1);
        }
    }
}
