package io.godwit.cluster.registration;

import static io.godwit.cluster.registration.OneShard.ID;
import static io.godwit.cluster.registration.OneShard.SELF;
import static io.godwit.cluster.registration.OneShard.THREE;
import static io.godwit.cluster.registration.OneShard.TWO;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.registration.RegistrationMessage.End;
import io.godwit.cluster.registration.RegistrationMessage.Ended;
import io.godwit.cluster.registration.RegistrationMessage.Granted;
import io.godwit.cluster.registration.RegistrationMessage.Register;
import io.godwit.cluster.registration.RegistrationMessage.Registered;
import io.godwit.cluster.registration.RegistrationMessage.Registration;
import io.godwit.cluster.registration.RegistrationMessage.Unregister;
import io.godwit.cluster.registration.RegistrationMessage.WillAnswered;
import io.godwit.cluster.registration.RegistrationMessage.WillDue;
import io.godwit.cluster.registration.RegistrationMessage.WillDue.Source;
import io.godwit.cluster.registration.RegistrationMessage.WillsDecided;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Resumed;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Node 1 leads the slot of a client id that is connected at node 2, with a Will. */
class LeaderWillsTest {
    static final Will WILL = new Will(Topic.of("gone"), 1, true, new byte[100], 0, Properties.NONE);
    private static final String PUBLISHED = "published gone";
    private static final NodeStart TWO_AGAIN = new NodeStart(2, 2);

    private final OneShard node = new OneShard().linked();

    private static Register register(long number) {
        return new Register(ID, number, 1, true, 0, WILL, null);
    }

    private static WillDue due(Source source) {
        return new WillDue(ID, 1, source, WILL);
    }

    private void grantedToTwo() {
        node.leads();
        node.from(TWO, register(1));
        node.registrarAnswers(false);
        assertThat(node.two.take()).contains(new Granted(1, 1));
        node.happened.clear();
    }

    private void linkToTwoEnds() {
        node.two.isOver = true;
        node.turn(() -> node.shard.onDown(node.two, List.of()));
    }

    private void isNotPublished() {
        assertThat(node.happened).doesNotContain(PUBLISHED);
    }

    private void isPublishedOnce() {
        assertThat(node.happened).containsOnlyOnce(PUBLISHED);
    }

    @Test
    void will_is_published_when_the_edge_asks_and_is_answered_when_that_is_kept() {
        grantedToTwo();
        node.from(TWO, due(Source.REGISTERED));
        isPublishedOnce();
        assertThat(node.two.take()).isEmpty();
        node.willIsKept();
        assertThat(node.two.take()).containsExactly(new WillAnswered(1, true));
        node.from(TWO, new Unregister(ID, 1));
        assertThat(node.shard.registry().size()).isZero();
        assertThat(node.charged).isZero();
    }

    @Test
    void connection_that_ends_with_a_disconnect_leaves_no_will() {
        grantedToTwo();
        node.from(TWO, new Unregister(ID, 1));
        node.ended.add(2);
        linkToTwoEnds();
        node.pass(1_000);
        isNotPublished();
    }

    @Test
    void will_is_charged_as_long_as_its_connection_is_registered() {
        node.leads();
        node.from(THREE, new Register(ID, 1, 1, true, 0));
        node.registrarAnswers(false);
        long without = node.charged;
        node.from(THREE, new Unregister(ID, 1));
        grantedToTwo();
        assertThat(node.charged).isEqualTo(without + WILL.accountedBytes());
    }

    @Test
    void connection_whose_will_has_no_room_is_refused() {
        node.leads();
        node.chargedMax = RegistryEntries.ENTRY_BYTES + 400;
        node.from(TWO, register(1));
        assertThat(node.claims).isEmpty();
        assertThat(node.refused).isEqualTo(1);
        node.from(TWO, new Register(ID, 2, 1, true, 0));
        assertThat(node.claims).hasSize(1);
    }

    @Test
    void will_is_published_once_when_its_node_is_known_to_have_ended() {
        grantedToTwo();
        linkToTwoEnds();
        node.pass(1_000);
        isNotPublished();
        node.ended.add(2);
        node.pass(100);
        isPublishedOnce();
        node.pass(20_000);
        node.turn(() -> node.shard.onUp(new TestPeer(TWO_AGAIN, 3), Resumed.NOTHING));
        isPublishedOnce();
        assertThat(node.shard.registry().size()).isZero();
    }

    @Test
    void will_is_published_when_its_node_has_started_anew_or_is_forgotten() {
        grantedToTwo();
        linkToTwoEnds();
        node.turn(() -> node.shard.onUp(new TestPeer(TWO_AGAIN, 3), Resumed.NOTHING));
        isPublishedOnce();

        OneShard other = new OneShard().linked().leads();
        other.from(TWO, register(1));
        other.registrarAnswers(false);
        other.turn(() -> other.shard.onForgotten(2));
        assertThat(other.happened).containsOnlyOnce(PUBLISHED);
    }

    @Test
    void will_waits_as_long_as_its_node_may_run() {
        grantedToTwo();
        linkToTwoEnds();
        node.pass(60_000);
        isNotPublished();
    }

    @Test
    void connection_whose_will_was_published_ends_when_its_node_is_back() {
        grantedToTwo();
        node.turn(() -> node.shard.onSilent(TWO));
        node.ended.add(2);
        node.pass(100);
        isPublishedOnce();
        node.ended.clear();
        node.turn(() -> node.shard.onHeard(TWO));
        assertThat(node.two.take()).containsExactly(new End(ID, 1));
        node.from(TWO, due(Source.REGISTERED));
        node.from(TWO, new Ended(ID, 1));
        assertThat(node.two.take()).containsExactly(new WillAnswered(1, true));
        isPublishedOnce();
    }

    @Test
    void will_is_dropped_when_its_client_connects_before_its_node_is_known_to_have_ended() {
        grantedToTwo();
        linkToTwoEnds();
        node.from(THREE, new Register(ID, 5, 1, true, 0));
        node.ended.add(2);
        node.pass(6_000);
        node.registrarAnswers(false);
        assertThat(node.three.take()).contains(new Granted(5, 1));
        node.turn(() -> node.shard.onUp(new TestPeer(TWO_AGAIN, 3), Resumed.NOTHING));
        isNotPublished();
    }

    @Test
    void will_of_a_connection_that_a_newer_one_ends_is_published_before_that_is_granted() {
        grantedToTwo();
        node.from(THREE, new Register(ID, 5, 1, true, 0));
        assertThat(node.two.take()).containsExactly(new End(ID, 1));
        node.from(TWO, due(Source.REGISTERED));
        node.from(TWO, new Ended(ID, 1));
        isPublishedOnce();
        node.registrarAnswers(false);
        assertThat(node.three.take()).contains(new Granted(5, 1));
    }

    @Test
    void new_leader_is_told_wills_with_the_connections() {
        node.leader(SELF, 1, true);
        node.told(TWO, new Registration(ID, 1, 0, WILL, null));
        node.told(THREE);
        linkToTwoEnds();
        node.ended.add(2);
        node.pass(100);
        isPublishedOnce();
    }

    @Test
    void will_of_an_earlier_start_waits_for_the_slot_to_open() {
        node.leader(SELF, 1, true);
        node.told(TWO);
        node.from(TWO, due(Source.EARLIER_START));
        isNotPublished();
        node.told(THREE);
        isPublishedOnce();
        node.willIsKept();
        assertThat(node.two.take()).containsExactly(new WillAnswered(1, true));
    }

    @Test
    void will_of_an_earlier_start_is_dropped_when_its_client_is_connected() {
        node.leader(SELF, 1, true);
        node.told(TWO);
        node.from(TWO, due(Source.EARLIER_START));
        node.told(THREE, new Registration(ID, 5));
        isNotPublished();
        assertThat(node.two.take()).containsExactly(new WillAnswered(1, true));
    }

    @Test
    void will_of_an_earlier_start_is_settled_when_its_end_was_seen_here() {
        grantedToTwo();
        linkToTwoEnds();
        TestPeer again = new TestPeer(TWO_AGAIN, 3);
        node.turn(() -> node.shard.onUp(again, Resumed.NOTHING));
        node.from(TWO_AGAIN, due(Source.EARLIER_START));
        isPublishedOnce();
        assertThat(again.take()).containsExactly(new WillAnswered(1, true));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void next_leader_is_told_that_the_wills_of_an_ended_start_are_decided(boolean isBack) {
        grantedToTwo();
        linkToTwoEnds();
        if (isBack) {
            node.turn(() -> node.shard.onUp(new TestPeer(TWO_AGAIN, 3), Resumed.NOTHING));
        } else {
            node.ended.add(2);
            node.pass(100);
        }
        isPublishedOnce();
        node.shard.registry().giveUp(OneShard.slots());
        node.leader(THREE, 2, false);
        assertThat(node.three.take())
                .containsSubsequence(
                        new WillsDecided(2, List.of(ID.slot()), List.of(2)),
                        new Registered(0, 1, 2, List.of(ID.slot()), List.of()));
    }

    @Test
    void will_of_an_earlier_start_is_settled_when_the_leader_before_has_decided() {
        node.leader(SELF, 2, true);
        node.from(TWO, due(Source.EARLIER_START));
        node.from(THREE, new WillsDecided(2, List.of(ID.slot()), List.of(2)));
        node.told(TWO);
        node.told(THREE);
        isNotPublished();
        assertThat(node.two.take()).contains(new WillAnswered(1, true));
        node.shard.registry().giveUp(OneShard.slots());
        node.leader(THREE, 3, false);
        assertThat(node.three.take())
                .as("what it was told itself")
                .contains(new WillsDecided(3, List.of(ID.slot()), List.of(2)));
    }

    @Test
    void node_that_does_not_lead_the_slot_publishes_nothing() {
        node.leader(THREE, 1, false);
        node.from(TWO, due(Source.UNKNOWN));
        isNotPublished();
        assertThat(node.two.take()).contains(new WillAnswered(1, false));
    }

    @Test
    void slot_is_not_given_away_while_a_will_is_at_a_node_that_is_not_heard() {
        grantedToTwo();
        linkToTwoEnds();
        assertThat(node.shard.registry().giveUp(OneShard.slots()).isEmpty()).isTrue();
        node.ended.add(2);
        node.pass(100);
        isPublishedOnce();
        assertThat(node.shard.registry().giveUp(OneShard.slots()).isEmpty()).isFalse();
    }
}
