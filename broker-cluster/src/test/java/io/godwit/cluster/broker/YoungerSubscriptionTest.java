package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.ClientId;
import io.godwit.core.settings.Rule;
import io.godwit.core.settings.Rules;
import io.godwit.core.store.KeptState;
import io.godwit.core.store.Recovery.KeptSubscription;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What has come to a node before a session subscribed there, and comes again after its start. */
class YoungerSubscriptionTest extends RoamingFixture {
    private TestClient subscriber(Rules rules) {
        nodes = new LoopNodes(3, new SplittableRandom(1), rules);
        publisher = nodes.node(3).connect("p", true, 0);
        published = 0;
        nodes.node(1).connect("here", false, 3600).subscribe(1, 1, "t");
        nodes.settle();
        return connect(1, 3600);
    }

    /** Messages come to node 1, and that it has them is not heard any more. */
    private void unheard() {
        nodes.node(3).slowFrom = 1;
    }

    /** The node starts anew, and hears again of whatever was not answered. */
    private List<String> afterStart() {
        nodes.node(1).crash();
        nodes.node(3).slowFrom = 0;
        nodes.node(1).restart();
        nodes.pass(1_000);
        assertThat(acknowledged()).isEqualTo(published);
        return connect(1, 3600).payloads();
    }

    private List<String> publishedBefore(Rules rules) {
        TestClient first = subscriber(rules);
        unheard();
        publish(1);
        first.subscribe(1, 1, "t");
        nodes.settle();
        publish(1);
        assertThat(first.payloads()).containsExactly("m2");
        acknowledgeAll(first);
        return afterStart();
    }

    @Test
    void what_was_published_before_does_not_come_behind_what_the_session_has() {
        assertThat(publishedBefore(Rules.ALL)).containsExactly("m2");
        assertThat(publishedBefore(Rules.without(Rule.CAME_BEFORE))).containsExactly("m1", "m2");
    }

    /** It had m1 before neither time. */
    @Test
    void what_was_published_before_the_first_of_two_subscriptions_does_not_come() {
        TestClient first = subscriber(Rules.ALL);
        unheard();
        publish(1);
        first.subscribe(1, 1, "t");
        nodes.settle();
        publish(1);
        first.subscribe(2, 1, "t");
        nodes.settle();
        assertThat(first.payloads()).containsExactly("m2");
        acknowledgeAll(first);
        assertThat(afterStart()).containsExactly("m2");
    }

    /** It had the filter when m2 was published, whatever it has asked for since. */
    @Test
    void what_was_published_between_two_subscriptions_to_one_filter_is_not_lost() {
        TestClient first = subscriber(Rules.ALL);
        unheard();
        publish(1);
        first.subscribe(1, 0, "t");
        nodes.settle();
        publish(1);
        first.subscribe(1, 1, "t");
        nodes.settle();
        assertThat(afterStart()).contains("m2");
    }

    /** The older one is for m1, the younger one is not. */
    @Test
    void what_one_of_two_that_overlap_is_for_is_not_lost() {
        TestClient first = subscriber(Rules.ALL);
        first.subscribe(1, 0, "+");
        nodes.settle();
        unheard();
        publish(1);
        first.subscribe(1, 1, "t");
        nodes.settle();
        assertThat(afterStart()).containsExactly("m1");
    }

    private List<KeptSubscription> kept() {
        KeptState kept = nodes.node(1).store.state();
        long queue = Objects.requireNonNull(kept.session(ClientId.of(clientId()))).queueId();
        return List.copyOf(kept.subscriptions(queue));
    }

    @Test
    void what_may_come_again_stands_with_the_subscription() {
        TestClient first = subscriber(Rules.ALL);
        unheard();
        publish(1);
        first.subscribe(1, 1, "t");
        nodes.settle();
        assertThat(kept()).hasSize(1).allMatch(each -> each.before() != null);
    }

    @Test
    void nothing_stands_there_once_the_sender_must_have_heard_that_it_is_answered() {
        TestClient first = subscriber(Rules.ALL);
        publish(2);
        nodes.pass(6_000);
        first.subscribe(1, 1, "t");
        nodes.settle();
        assertThat(kept()).hasSize(1).allMatch(each -> each.before() == null);
    }
}
