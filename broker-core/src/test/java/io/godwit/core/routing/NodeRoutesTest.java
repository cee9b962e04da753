package io.godwit.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The filters of other nodes, as they tell of their first and last subscribers. */
class NodeRoutesTest {
    private final TopicIndex own = new TopicIndex(TestIndex.hash(2), FilterListener.NONE);
    private final TopicIndex second = new TopicIndex(TestIndex.hash(3), new Told(2));
    private final TopicIndex third = new TopicIndex(TestIndex.hash(4), new Told(3));
    private final TestSession alice = new TestSession(1);
    private final TestSession bob = new TestSession(2);

    private static final class TestGroup extends SharedGroupRef {
        TestGroup(String filter) {
            super(TopicFilter.of(filter), 0);
        }
    }

    /** What a node says of its filters, taken in. */
    private final class Told implements FilterListener {
        private final int from;

        Told(int from) {
            this.from = from;
        }

        private NodeRef node(GroupState state) {
            return new NodeRef(from, !state.isTransient(), state.packetBytesMax());
        }

        @Override
        public void onSessions(TopicFilter filter, GroupState state) {
            if (state.isNone()) {
                own.removeNode(filter, node(state));
            } else {
                own.addNode(filter, node(state));
            }
        }

        @Override
        public void onGroup(TopicFilter filter, GroupState state) {
            own.putGroup(filter, node(state), state);
        }
    }

    /** Each target once: sessions and groups of this node, and other nodes. */
    private List<String> targets(String text) {
        Topic topic = Topic.of(text);
        List<RouteTarget> targets = new ArrayList<>();
        Route route = own.route(topic);
        for (int i = 0; i < route.count(); i++) {
            targets.add(Objects.requireNonNull(route.at(i)).session);
        }
        targets.addAll(List.of(route.groups()));
        for (SpreadGroup group : route.spread()) {
            if (group.here() != null) {
                targets.add(group.here());
            }
            targets.addAll(List.of(group.elsewhere().waiting()));
            targets.addAll(List.of(group.elsewhere().online()));
        }
        targets.addAll(List.of(route.nodes()));
        return targets.stream()
                .map(target ->
                        switch (target) {
                            case SessionRef session -> session.clientId().toString();
                            case SharedGroupRef group -> group.filter().toString();
                            case NodeRef node -> "node " + node.server();
                        })
                .toList();
    }

    @Test
    void a_node_stands_at_a_filter_from_its_first_subscriber_to_its_last() {
        second.add(alice.to("a/+"));
        second.add(bob.to("a/+"));
        third.add(bob.to("a/b"));
        assertThat(targets("a/b")).containsExactlyInAnyOrder("node 2", "node 3");
        assertThat(targets("a/c")).containsExactly("node 2");

        second.remove(TopicFilter.of("a/+"), alice);
        assertThat(targets("a/c")).containsExactly("node 2");
        second.remove(TopicFilter.of("a/+"), bob);
        assertThat(targets("a/c")).isEmpty();
        assertThat(own.nodeFilters()).isEqualTo(1);
    }

    @Test
    void a_message_goes_to_sessions_to_groups_and_to_each_node_once() {
        own.add(alice.to("a/#"));
        own.addGroup(new TestGroup("$share/g/a/b"));
        second.add(bob.to("a/b"));
        second.addGroup(new TestGroup("$share/h/+/b"));
        assertThat(targets("a/b")).containsExactly("c1", "$share/g/a/b", "node 2", "node 2");
        assertThat(own.route(Topic.of("a/b")).nodes()).containsExactly(new NodeRef(2));
    }

    @Test
    void a_group_of_several_nodes_is_one_with_those_that_have_a_member_online_apart() {
        TestGroup here = new TestGroup("$share/g/a/+");
        TestGroup there = new TestGroup("$share/g/a/+");
        own.addGroup(here);
        second.addGroup(there);
        third.addGroup(new TestGroup("$share/g/a/+"));
        third.addGroup(new TestGroup("$share/g/a/b"));
        second.groupChanged(there, GroupState.ONLINE);

        Route route = own.route(Topic.of("a/c"));
        assertThat(route.groups()).isEmpty();
        assertThat(route.nodes()).isEmpty();
        assertThat(route.spread()).hasSize(1);
        SpreadGroup group = route.spread()[0];
        assertThat(group.here()).isSameAs(here);
        assertThat(group.elsewhere().online()).containsExactly(new NodeRef(2));
        assertThat(group.elsewhere().waiting()).containsExactly(new NodeRef(3));
        assertThat(own.route(Topic.of("a/b")).spread()).hasSize(2);

        own.removeGroup(here);
        second.removeGroup(there);
        assertThat(Objects.requireNonNull(own.groupElsewhere(there.filter())).waiting())
                .containsExactly(new NodeRef(3));
        assertThat(own.route(Topic.of("a/c")).group(there.filter())).isNull();
    }

    @Test
    void node_that_a_group_stays_with_is_known_with_what_it_has_now() {
        TestGroup there = new TestGroup("$share/g/a");
        second.addGroup(there, false);
        second.groupChanged(there, GroupState.online(60));
        assertThat(sticky(there).hasDurable()).isFalse();
        assertThat(sticky(there).packetBytesMax()).isEqualTo(60);
        second.groupDurable(there, true);
        second.groupChanged(there, GroupState.ONLINE);
        assertThat(sticky(there).hasDurable()).isTrue();
        assertThat(sticky(there).packetBytesMax()).isEqualTo(Integer.MAX_VALUE);
    }

    private NodeRef sticky(TestGroup of) {
        GroupElsewhere elsewhere = Objects.requireNonNull(own.groupElsewhere(of.filter()));
        return Objects.requireNonNull(elsewhere.sticky());
    }

    @Test
    void each_node_comes_once_and_in_order_whatever_filters_match() {
        third.add(alice.to("a/#"));
        second.add(bob.to("a/b"));
        second.add(bob.to("+/b"));
        third.add(alice.to("a/b"));
        assertThat(own.route(Topic.of("a/b")).nodes())
                .containsExactly(new NodeRef(2), new NodeRef(3));
    }

    private final TestSession passing = new TestSession("passing", 9, false);

    private boolean hasDurable(String topic) {
        NodeRef[] nodes = own.route(Topic.of(topic)).nodes();
        assertThat(nodes).containsExactly(new NodeRef(2));
        return nodes[0].hasDurable();
    }

    @Test
    void node_is_durable_at_a_filter_while_a_durable_session_has_it_with_qos_1_or_2() {
        second.add(passing.to("a/+"));
        assertThat(hasDurable("a/b")).isFalse();
        second.add(alice.to("a/+", 0));
        assertThat(hasDurable("a/b")).isFalse();
        second.add(alice.to("a/+", 1));
        assertThat(hasDurable("a/b")).isTrue();
        second.add(bob.to("a/+", 2));
        second.remove(TopicFilter.of("a/+"), alice);
        assertThat(hasDurable("a/b")).isTrue();
        second.add(bob.to("a/+", 0));
        assertThat(hasDurable("a/b")).isFalse();
    }

    @Test
    void node_is_durable_for_a_topic_when_it_is_at_one_of_the_filters_that_match() {
        second.add(passing.to("a/#"));
        second.add(passing.to("+/b"));
        second.add(alice.to("a/b"));
        assertThat(hasDurable("a/b")).isTrue();
        assertThat(hasDurable("a/c")).isFalse();
        third.add(passing.to("a/b"));
        Route route = own.route(Topic.of("a/b"));
        assertThat(route.nodes()).containsExactly(new NodeRef(2), new NodeRef(3));
        assertThat(route.nodes()[0].hasDurable()).isTrue();
        assertThat(route.nodes()[1].hasDurable()).isFalse();
    }

    @Test
    void filters_of_the_same_nodes_share_their_array() {
        second.add(bob.to("a"));
        second.add(bob.to("b"));
        assertThat(own.route(Topic.of("a")).nodes()).isSameAs(own.route(Topic.of("b")).nodes());
    }

    @Test
    void a_change_at_another_node_makes_kept_routes_old() {
        Route before = own.route(Topic.of("a"));
        assertThat(before.isEmpty()).isTrue();
        second.add(bob.to("a"));
        assertThat(own.version()).isGreaterThan(before.version());
        long version = own.version();
        assertThat(own.addNode(TopicFilter.of("a"), new NodeRef(2))).isFalse();
        assertThat(own.removeNode(TopicFilter.of("b"), new NodeRef(2))).isFalse();
        assertThat(own.version()).isEqualTo(version);
    }
}
