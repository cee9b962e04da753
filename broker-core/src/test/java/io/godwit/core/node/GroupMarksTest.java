package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.TopicFilter;
import io.godwit.core.session.NodeGroups;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.Rule;
import io.godwit.core.settings.Rules;
import org.junit.jupiter.api.Test;

/** A QoS 2 message of a group whose shard keeps what it is told later than the member's does. */
class GroupMarksTest {
    private static final int SHARDS = 2;
    private static final String SHARED = "$share/g/a";

    private final HeldStore store = new HeldStore();
    private final int groups = NodeGroups.shardOf(TopicFilter.of(SHARED), SHARDS);
    private TestNode node = node(Rules.ALL);

    private TestNode node(Rules rules) {
        return TestNode.of(
                Cluster.NONE,
                1,
                SHARDS,
                store,
                new SettableTime(),
                rules,
                LimitSettings.DEFAULTS,
                OverloadSettings.DEFAULTS);
    }

    /** A message for a member, of which only what its own shard has told is kept. */
    private TestClient memberBeforeTheMarkIsKept() {
        TestClient member = node.client(1 - groups, "m", 3_600, 10);
        member.subscribe(1, 2, SHARED);
        node.settle();
        TestClient publisher = node.client(groups, "p");
        store.hold();
        publisher.publish("a", 2, 1, "x");
        node.settle();
        store.releaseOf(1 - groups);
        node.settle();
        return member;
    }

    @Test
    void it_leaves_when_the_mark_and_the_append_are_kept() {
        TestClient member = memberBeforeTheMarkIsKept();
        assertThat(member.payloads()).isEmpty();
        store.releaseOf(groups);
        node.settle();
        assertThat(member.payloads()).as("its own queue has not kept it").isEmpty();
        store.release();
        node.settle();
        assertThat(member.payloads()).containsExactly("x");
    }

    @Test
    void without_the_rule_it_leaves_while_another_member_may_get_it_after_a_crash() {
        node = node(Rules.without(Rule.GROUP_MARKS));
        assertThat(memberBeforeTheMarkIsKept().payloads()).containsExactly("x");
    }
}
