package io.godwit.core.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.GroupElsewhere;
import io.godwit.core.routing.GroupState;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.routing.SharedGroupRef;
import io.godwit.core.settings.SharedStrategy;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class GroupChoiceTest {
    private static final TopicFilter FILTER = TopicFilter.of("$share/g/a/+");
    private static final NodeRef ONE = new NodeRef(1);
    private static final NodeRef TWO = new NodeRef(2);
    private static final NodeRef THREE = new NodeRef(3);
    private static final NodeRef[] NONE = {};

    private final Set<NodeRef> away = new HashSet<>();
    private long counter;

    private static final class Here extends SharedGroupRef {
        Here(GroupState state) {
            super(FILTER, 0);
            state(state);
        }
    }

    private GroupChoice by(SharedStrategy strategy) {
        return new GroupChoice(strategy, away::contains);
    }

    private Message message(String client, String topic) {
        return message(client, topic, 1);
    }

    private Message message(String client, String topic, int qos) {
        return new Message(
                Topic.of(topic),
                new byte[1],
                PublishFrame.NO_PROPERTIES,
                qos,
                false,
                Message.NEVER,
                ClientId.of(client),
                7,
                ++counter);
    }

    private static GroupElsewhere elsewhere(NodeRef[] online, NodeRef[] waiting) {
        return new GroupElsewhere(FILTER, online, waiting, online.length == 0 ? null : online[0]);
    }

    @ParameterizedTest
    @EnumSource
    void members_of_this_node_come_first_and_then_those_that_are_online(SharedStrategy strategy) {
        GroupChoice choice = by(strategy);
        GroupElsewhere two = elsewhere(new NodeRef[] {TWO}, new NodeRef[] {THREE});
        Message message = message("c", "a/b");
        assertThat(choice.choose(two, new Here(GroupState.ONLINE), message)).isNull();
        assertThat(choice.choose(two, new Here(GroupState.WAITING), message)).isEqualTo(TWO);
        assertThat(choice.choose(two, null, message)).isEqualTo(TWO);
        GroupElsewhere waiting = elsewhere(NONE, new NodeRef[] {THREE});
        assertThat(choice.choose(waiting, new Here(GroupState.WAITING), message)).isNull();
        assertThat(choice.choose(waiting, new Here(GroupState.NONE), message)).isEqualTo(THREE);
    }

    @ParameterizedTest
    @EnumSource
    void qos_0_message_goes_only_where_a_member_is_online(SharedStrategy strategy) {
        GroupChoice choice = by(strategy);
        GroupElsewhere two = elsewhere(new NodeRef[] {TWO}, new NodeRef[] {THREE});
        Message message = message("c", "a/b", 0);
        assertThat(choice.choose(two, new Here(GroupState.WAITING), message)).isEqualTo(TWO);
        away.add(TWO);
        assertThat(choice.choose(two, null, message)).isEqualTo(TWO);
        GroupElsewhere waiting = elsewhere(NONE, new NodeRef[] {THREE});
        assertThat(choice.choose(waiting, null, message)).isNull();
        away.add(THREE);
        assertThat(choice.choose(waiting, null, message)).isNull();
    }

    @Test
    void a_node_that_is_away_is_chosen_when_there_is_no_other() {
        GroupChoice choice = by(SharedStrategy.STICKY);
        GroupElsewhere both = elsewhere(new NodeRef[] {ONE, TWO}, NONE);
        away.add(ONE);
        Message message = message("c", "a/b");
        assertThat(choice.choose(both, null, message)).isEqualTo(TWO);
        away.add(TWO);
        assertThat(choice.choose(both, null, message)).isIn(ONE, TWO);
        assertThat(choice.choose(both, new Here(GroupState.WAITING), message)).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void node_whose_member_takes_packets_of_this_size_comes_before_others(SharedStrategy strategy) {
        GroupChoice choice = by(strategy);
        NodeRef small = new NodeRef(1, true, 8);
        NodeRef large = new NodeRef(2, true, 1_000);
        GroupElsewhere both = elsewhere(new NodeRef[] {small, large}, NONE);
        Here limited = new Here(GroupState.online(8));
        for (int i = 0; i < 20; i++) {
            Message message = message("c" + i, "a/" + i);
            assertThat(choice.choose(both, null, message)).isEqualTo(large);
            assertThat(choice.choose(both, limited, message)).isEqualTo(large);
            assertThat(choice.taking(elsewhere(new NodeRef[] {small}, NONE), message)).isNull();
            assertThat(choice.choose(elsewhere(new NodeRef[] {small}, NONE), limited, message))
                    .isNull();
        }
        Message any = message("c", "a/b");
        away.add(large);
        assertThat(choice.choose(both, null, any)).isEqualTo(small);
        assertThat(choice.choose(both, limited, any)).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void messages_are_spread_or_stay_together_as_the_strategy_says(SharedStrategy strategy) {
        GroupElsewhere three = elsewhere(new NodeRef[] {ONE, TWO, THREE}, NONE);
        Map<String, Set<NodeRef>> byClient = new HashMap<>();
        Map<String, Set<NodeRef>> byTopic = new HashMap<>();
        Set<NodeRef> chosen = new HashSet<>();
        for (int i = 0; i < 400; i++) {
            String client = "c" + i % 20;
            String topic = "a/" + i / 20;
            NodeRef node = by(strategy).choose(three, null, message(client, topic));
            chosen.add(node);
            byClient.computeIfAbsent(client, key -> new HashSet<>()).add(node);
            byTopic.computeIfAbsent(topic, key -> new HashSet<>()).add(node);
        }
        assertThat(chosen).hasSize(strategy == SharedStrategy.STICKY ? 1 : 3);
        if (strategy == SharedStrategy.HASH_CLIENT) {
            assertThat(byClient.values()).allMatch(nodes -> nodes.size() == 1);
        }
        if (strategy == SharedStrategy.HASH_TOPIC) {
            assertThat(byTopic.values()).allMatch(nodes -> nodes.size() == 1);
        }
    }
}
