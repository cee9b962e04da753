package io.godwit.cluster.registration;

import static io.godwit.cluster.registration.LeaderWillsTest.WILL;
import static io.godwit.cluster.registration.OneShard.ID;
import static io.godwit.cluster.registration.OneShard.SELF;
import static io.godwit.cluster.registration.OneShard.THREE;
import static io.godwit.cluster.registration.OneShard.TWO;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.registration.RegistrationMessage.End;
import io.godwit.cluster.registration.RegistrationMessage.Ended;
import io.godwit.cluster.registration.RegistrationMessage.Granted;
import io.godwit.cluster.registration.RegistrationMessage.OfStandIn;
import io.godwit.cluster.registration.RegistrationMessage.Register;
import io.godwit.cluster.registration.RegistrationMessage.Registered;
import io.godwit.cluster.registration.RegistrationMessage.Unregister;
import io.godwit.cluster.registration.RegistrationMessage.WillAnswered;
import io.godwit.cluster.registration.RegistrationMessage.WillDue;
import io.godwit.cluster.registration.RegistrationMessage.WillDue.Source;
import io.godwit.core.connection.Placement;
import io.godwit.core.session.WillKeeper;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A connection with a Will is at node 1, the edge; node 2 leads its slot. */
class DueWillsTest {
    private final OneShard node = new OneShard().linked();

    private final class Told implements WillKeeper.Passed {
        @Override
        public void publish() {
            node.happened.add("published from its record");
        }

        @Override
        public void settled() {
            node.happened.add("settled");
        }
    }

    private Placement.Stay granted() {
        node.leader(TWO, 1, false);
        node.two.take();
        OneShard.Asked asked = node.askWith(WILL);
        List<RegistrationMessage> sent = node.two.take();
        assertThat(sent).singleElement().isInstanceOf(Register.class);
        assertThat(((Register) sent.getFirst()).will()).as("goes to the leader").isNotNull();
        node.from(TWO, new Granted(1, 1));
        node.turn(() -> Objects.requireNonNull(asked.stay).claimed());
        node.happened.clear();
        return Objects.requireNonNull(asked.stay);
    }

    private static List<Class<?>> kinds(List<RegistrationMessage> messages) {
        return messages.stream().<Class<?>>map(Object::getClass).toList();
    }

    private void ends(Placement.Stay stay) {
        node.turn(() -> assertThat(stay.pass(ID, WILL, new Told())).isTrue());
        node.turn(stay::ended);
    }

    @Test
    void will_goes_to_the_leader_before_the_end_of_its_connection_and_is_kept_until_the_answer() {
        Placement.Stay stay = granted();
        node.turn(() -> assertThat(stay.pass(ID, WILL, new Told())).isTrue());
        assertThat(node.two.take()).as("its client's publishes are not answered").isEmpty();
        node.turn(stay::ended);
        List<RegistrationMessage> sent = node.two.take();
        assertThat(kinds(sent)).containsExactly(WillDue.class, Unregister.class);
        assertThat(((WillDue) sent.getFirst()).source()).isEqualTo(Source.REGISTERED);
        assertThat(node.happened).isEmpty();
        node.from(TWO, new WillAnswered(1, true));
        assertThat(node.happened).containsExactly("settled");
        assertThat(node.shard.placement().dueWills()).isZero();
    }

    @Test
    void will_goes_to_the_leader_before_its_end_is_answered() {
        Placement.Stay stay = granted();
        node.from(TWO, new End(ID, 1));
        node.turn(() -> assertThat(stay.pass(ID, WILL, new Told())).isTrue());
        node.pass(5_100);
        assertThat(kinds(node.two.take())).containsExactly(WillDue.class, Ended.class);
        node.turn(stay::ended);
        assertThat(kinds(node.two.take())).doesNotContain(WillDue.class, Unregister.class);
    }

    @Test
    void node_that_leads_the_slot_publishes_the_will_itself() {
        node.leads();
        OneShard.Asked asked = node.askWith(WILL);
        Placement.Stay stay = Objects.requireNonNull(asked.stay);
        assertThat(stay.pass(ID, WILL, new Told())).isFalse();
    }

    @Test
    void will_waits_while_the_leader_is_out_of_reach_and_nobody_stands_in() {
        Placement.Stay stay = granted();
        node.turn(() -> node.shard.onSilent(TWO));
        ends(stay);
        node.pass(10_000);
        assertThat(node.two.take()).isEmpty();
        node.turn(() -> node.shard.onHeard(TWO));
        assertThat(kinds(node.two.take())).containsExactly(WillDue.class, Unregister.class);
    }

    @Test
    void stand_in_is_asked_while_the_leader_is_out_of_reach() {
        Placement.Stay stay = granted();
        node.turn(() -> node.shard.onSilent(TWO));
        node.standIn(THREE);
        assertThat(kinds(node.three.take())).contains(OfStandIn.class);
        ends(stay);
        assertThat(node.three.take())
                .first()
                .isInstanceOfSatisfying(
                        OfStandIn.class,
                        of ->
                                assertThat(((WillDue) of.message()).source())
                                        .isEqualTo(Source.REGISTERED));
        assertThat(kinds(node.two.take())).containsExactly(Unregister.class);
        node.from(THREE, new OfStandIn(new WillAnswered(1, true)));
        assertThat(node.happened).containsExactly("settled");
    }

    @Test
    void node_that_stands_in_itself_publishes_the_will() {
        Placement.Stay stay = granted();
        node.turn(() -> node.shard.onSilent(TWO));
        node.standIn(SELF);
        node.toldStandIn(THREE);
        ends(stay);
        assertThat(node.happened).containsExactly("published gone");
        node.willIsKept();
        assertThat(node.happened).containsExactly("published gone", "settled");
    }

    @Test
    void node_that_leads_the_slot_by_now_publishes_the_will_unless_its_client_is_back() {
        Placement.Stay stay = granted();
        node.turn(() -> assertThat(stay.pass(ID, WILL, new Told())).isTrue());
        node.leader(SELF, 2, true);
        node.told(TWO);
        node.told(THREE, new RegistrationMessage.Registration(ID, 5));
        node.turn(stay::ended);
        assertThat(node.happened).containsExactly("settled");
    }

    @Test
    void next_leader_is_asked_when_the_one_that_was_asked_is_gone() {
        ends(granted());
        node.two.take();
        node.turn(() -> node.shard.onSilent(TWO));
        node.leader(THREE, 9, false);
        List<RegistrationMessage> sent = node.three.take();
        assertThat(kinds(sent)).contains(Registered.class, WillDue.class);
        assertThat(((WillDue) sent.getLast()).source()).isEqualTo(Source.UNKNOWN);
        node.from(TWO, new WillAnswered(1, true));
        assertThat(node.happened).as("not the one that is asked").isEmpty();
        node.from(THREE, new WillAnswered(1, true));
        assertThat(node.happened).containsExactly("settled");
    }

    @Test
    void will_is_asked_for_again_when_a_node_that_was_held_for_the_leader_is_none() {
        ends(granted());
        node.two.take();
        node.from(TWO, new WillAnswered(1, false));
        assertThat(node.two.take()).isEmpty();
        node.pass(1_000);
        assertThat(kinds(node.two.take())).containsExactly(WillDue.class);
    }

    @Test
    void will_of_an_earlier_start_is_published_from_its_record_by_the_node_that_leads_the_slot() {
        node.leads();
        node.turn(() -> node.shard.placement().passEarlierWill(ID, WILL, new Told()));
        assertThat(node.happened).containsExactly("published from its record");
        assertThat(node.shard.placement().dueWills()).isZero();
    }

    @Test
    void will_of_an_earlier_start_comes_before_its_client_is_back_at_the_same_node() {
        node.leader(SELF, 1, true);
        node.turn(() -> node.shard.placement().passEarlierWill(ID, WILL, new Told()));
        node.ask(false);
        assertThat(node.happened).as("the slot is not open").isEmpty();
        node.told(TWO);
        node.told(THREE);
        assertThat(node.happened).containsExactly("published from its record", "here");
    }

    @Test
    void will_of_an_earlier_start_is_dropped_when_its_client_comes_back_at_another_node() {
        node.leader(SELF, 1, true);
        node.turn(() -> node.shard.placement().passEarlierWill(ID, WILL, new Told()));
        node.from(TWO, new Register(ID, 1, 1, true, 0));
        node.told(TWO);
        node.told(THREE);
        assertThat(node.happened).containsExactlyInAnyOrder("settled", "end at registrar");
    }

    @Test
    void will_of_an_earlier_start_is_not_sent_to_a_stand_in() {
        node.leader(TWO, 1, false);
        node.turn(() -> node.shard.onSilent(TWO));
        node.standIn(THREE);
        node.two.take();
        node.three.take();
        node.turn(() -> node.shard.placement().passEarlierWill(ID, WILL, new Told()));
        node.pass(3_000);
        assertThat(node.three.take()).isEmpty();
        node.turn(() -> node.shard.onHeard(TWO));
        List<RegistrationMessage> sent = node.two.take();
        assertThat(((WillDue) sent.getLast()).source()).isEqualTo(Source.EARLIER_START);
    }
}
