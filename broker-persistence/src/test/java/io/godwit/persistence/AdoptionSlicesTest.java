package io.godwit.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.BrokerShard;
import io.godwit.core.node.SettableTime;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.ClientId;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.store.CopySets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A node that takes many sessions over does some of the work in each turn. */
class AdoptionSlicesTest {
    private static final int SESSIONS = 600;

    /** Subscriptions that one turn puts into the index. */
    private static final int MOST = 200;

    private final SettableTime time = new SettableTime();
    private final AdoptingNode leader = new AdoptingNode(AdoptingNode.LEADER, time);
    private final AdoptingNode node = new AdoptingNode(AdoptingNode.FOLLOWER, time);

    /** Counts what the present turn has put into the index, and the turns before it. */
    private int now;

    private final List<Integer> turns = new ArrayList<>();

    @Test
    void no_turn_puts_more_than_some_subscriptions_into_the_index() {
        IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "c" + i)
                .filter(id -> CopySets.of(ClientId.of(id)) == 1)
                .limit(SESSIONS)
                .forEach(this::subscribe);
        node.follow(leader);
        BrokerShard owner = node.node.broker().shard(TopicIndex.OWNER);
        node.cluster.whenNoted =
                () -> {
                    if (now++ == 0) {
                        owner.atTurnEnd(this::endTurn);
                    }
                };

        node.adopt(leader);

        assertThat(node.cluster.filters).hasSize(SESSIONS);
        assertThat(turns).allMatch(each -> each <= MOST).hasSizeGreaterThan(2);
    }

    private void endTurn() {
        turns.add(now);
        now = 0;
    }

    private void subscribe(String id) {
        TestClient client = leader.connect(id, 0);
        client.subscribe(1, 1, "t/" + id);
        leader.settle();
        leader.cut(client);
    }
}
