package io.godwit.cluster.registration;

import static io.godwit.cluster.registration.OneShard.ID;
import static io.godwit.cluster.registration.OneShard.SELF;
import static io.godwit.cluster.registration.OneShard.THREE;
import static io.godwit.cluster.registration.OneShard.TWO;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.registration.RegistrationMessage.End;
import io.godwit.cluster.registration.RegistrationMessage.Ended;
import io.godwit.cluster.registration.RegistrationMessage.Granted;
import io.godwit.cluster.registration.RegistrationMessage.HasSession;
import io.godwit.cluster.registration.RegistrationMessage.NotLeader;
import io.godwit.cluster.registration.RegistrationMessage.OfStandIn;
import io.godwit.cluster.registration.RegistrationMessage.Refused;
import io.godwit.cluster.registration.RegistrationMessage.Register;
import io.godwit.cluster.registration.RegistrationMessage.Registered;
import io.godwit.cluster.registration.RegistrationMessage.Registration;
import io.godwit.cluster.registration.RegistrationMessage.TakenBack;
import io.godwit.cluster.registration.RegistrationMessage.Unregister;
import io.godwit.cluster.registration.RegistrationMessage.WillsDecided;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Resumed;
import io.godwit.core.packet.ReasonCode;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Node 1 grants connections in the place of node 3, which is down; node 2 is another edge. */
class StandInTest {
    private final OneShard node = new OneShard().linked();

    private static RegistrationMessage of(RegistrationMessage message) {
        return new OfStandIn(message);
    }

    private static RegistrationMessage register(long number, boolean isClean) {
        return of(new Register(ID, number, 1, isClean, 0));
    }

    private LeaderRegistry standIn() {
        return node.shard.standIn();
    }

    /** Node 3 leads, and is down; the others have told this node. */
    private void standsIn() {
        lost();
        node.standIn(SELF);
        node.toldStandIn(TWO);
    }

    private void lost() {
        node.leader(THREE, 1, false);
        node.turn(() -> node.shard.onSilent(THREE));
    }

    /** Node 2 has the client id, by its connection 1. */
    private void grantedToTwo() {
        standsIn();
        node.from(TWO, register(1, true));
        node.registrarAnswers(false);
        assertThat(node.two.take()).containsExactly(of(new Granted(1, 1, 700)));
    }

    // ---------------------------------------------------------------- the stand-in

    @Test
    void stand_in_grants_nothing_while_a_live_node_has_not_told_it() {
        lost();
        node.standIn(SELF);
        node.from(TWO, register(1, true));
        node.pass(9_800);
        assertThat(node.claims).as("who hears the leader tells nothing").isEmpty();
        node.pass(500);
        assertThat(node.two.take())
                .singleElement()
                .matches(each ->
                        each instanceof OfStandIn of
                                && of.message() instanceof Refused refused
                                && refused.reason() == ReasonCode.SERVER_UNAVAILABLE);
        assertThat(standIn().size()).isZero();
    }

    @Test
    void stand_in_grants_clean_start_when_all_live_nodes_have_told_it() {
        grantedToTwo();
        assertThat(node.happened).containsExactly("end at registrar");
        assertThat(node.grantedByStandIn).isOne();
    }

    @Test
    void stand_in_grants_nothing_without_clean_start() {
        standsIn();
        node.from(TWO, register(1, false));
        assertThat(node.claims).isEmpty();
        assertThat(node.two.take())
                .singleElement()
                .matches(each -> each instanceof OfStandIn of && of.message() instanceof NotLeader);
    }

    @Test
    void node_that_hears_the_leader_itself_grants_nothing_in_its_place() {
        node.leader(THREE, 1, false);
        node.toldStandIn(TWO);
        node.from(TWO, register(1, true));
        assertThat(node.claims).isEmpty();
        assertThat(node.two.take())
                .singleElement()
                .matches(each -> each instanceof OfStandIn of && of.message() instanceof NotLeader);
    }

    @Test
    void stand_in_ends_the_connection_that_had_the_client_id_before_the_leader_was_lost() {
        lost();
        node.standIn(SELF);
        node.toldStandIn(TWO, new Registration(ID, 9));
        OneShard.Asked asked = node.ask(false);
        assertThat(node.two.take()).containsExactly(of(new End(ID, 9)));
        assertThat(asked.stay).isNull();
        node.from(TWO, of(new Ended(ID, 9)));
        assertThat(asked.stay).isNotNull();
    }

    @Test
    void second_claim_of_a_client_id_ends_the_first_connection_that_the_stand_in_granted() {
        grantedToTwo();
        OneShard.Asked asked = node.ask(false);
        assertThat(node.two.take()).containsExactly(of(new End(ID, 1)));
        node.from(TWO, of(new Ended(ID, 1)));
        assertThat(asked.stay).isNotNull();
    }

    @Test
    void stand_in_grants_nothing_any_more_when_a_node_takes_back_what_it_has_told() {
        grantedToTwo();
        node.from(TWO, of(new TakenBack(0, 1, 1, List.of(ID.slot()))));
        assertThat(standIn().size()).as("what it told is forgotten").isZero();
        OneShard.Asked asked = node.ask(false);
        assertThat(asked.stay).isNull();
        node.toldStandIn(TWO);
        assertThat(asked.stay).isNotNull();
    }

    @Test
    void stand_in_grants_nothing_any_more_when_a_node_comes_that_has_not_told_it() {
        standsIn();
        TestPeer four = new TestPeer(new NodeStart(4, 1), 4);
        node.turn(() -> node.shard.onUp(four, Resumed.NOTHING));
        node.from(TWO, register(1, true));
        assertThat(node.claims).isEmpty();
        node.toldStandIn(four.peer());
        assertThat(node.claims).hasSize(1);
    }

    @Test
    void claims_are_sent_away_when_the_leader_is_heard_again() {
        standsIn();
        node.from(TWO, register(1, true));
        node.standIn(null);
        assertThat(node.two.take())
                .singleElement()
                .matches(each -> each instanceof OfStandIn of && of.message() instanceof NotLeader);
        node.registrarAnswers(false);
        assertThat(node.two.take()).isEmpty();
        assertThat(standIn().claimed()).isZero();
    }

    @Test
    void connection_is_refused_when_its_client_id_cannot_be_remembered() {
        standsIn();
        node.chargedMax = node.charged;
        node.from(TWO, register(1, true));
        assertThat(node.two.take())
                .singleElement()
                .matches(each ->
                        each instanceof OfStandIn of
                                && of.message() instanceof Refused refused
                                && refused.reason() == ReasonCode.QUOTA_EXCEEDED);
    }

    @Test
    void leader_that_starts_anew_is_told_what_the_stand_in_granted_also_after_its_end() {
        grantedToTwo();
        node.from(TWO, of(new Unregister(ID, 1)));
        assertThat(standIn().size()).isZero();
        assertThat(node.charged).isPositive();
        NodeStart again = new NodeStart(3, 2);
        TestPeer three = new TestPeer(again, 3);
        node.turn(() -> node.shard.onUp(three, Resumed.NOTHING));
        node.standIn = null;
        node.leader(again, 2, false);
        assertThat(three.take())
                .containsExactly(
                        new Registered(
                                0,
                                1,
                                2,
                                List.of(ID.slot()),
                                List.of(new Registration(ID, 0, 700))));
        assertThat(node.charged).isZero();
        assertThat(standIn().slots()).isZero();
    }

    @Test
    void claim_under_way_when_the_leader_is_lost_does_not_hold_up_later_ones_at_the_stand_in() {
        node.leader(THREE, 1, false);
        OneShard.Asked asked = node.ask(false);
        node.from(THREE, new Granted(1, 1));
        standsIn();
        assertThat(standIn().claimed()).isOne();
        node.from(TWO, register(5, true));
        assertThat(node.claims).isEmpty();
        node.turn(Objects.requireNonNull(asked.stay)::claimed);
        assertThat(node.claims).hasSize(1);
        node.registrarAnswers(false);
        assertThat(node.two.take()).contains(of(new Granted(5, 1, 700)));
    }

    // ---------------------------------------------------------------- the edge

    /** Node 2 stands in for node 3. */
    private void twoStandsIn() {
        lost();
        node.standIn(TWO);
    }

    @Test
    void transient_connect_with_clean_start_is_asked_of_the_stand_in_which_is_told_first() {
        twoStandsIn();
        OneShard.Asked asked = node.ask(false);
        assertThat(node.two.take())
                .containsExactly(
                        of(new Registered(0, 1, 1, List.of(ID.slot()), List.of())),
                        register(1, true));
        node.from(TWO, of(new Granted(1, 1, 700)));
        assertThat(asked.stay).isNotNull();
    }

    @Test
    void durable_connect_waits_for_the_leader_and_not_for_the_stand_in() {
        twoStandsIn();
        node.two.take();
        OneShard.Asked asked = node.ask(true);
        node.pass(10_100);
        assertThat(node.two.take()).isEmpty();
        assertThat(asked.reason).isEqualTo(ReasonCode.SERVER_UNAVAILABLE);
    }

    @Test
    void connect_goes_to_the_leader_that_is_heard_while_its_stand_in_is_asked() {
        twoStandsIn();
        node.ask(false);
        node.two.take();
        node.three.take();
        node.turn(() -> node.shard.onHeard(THREE));
        node.standIn(null);
        assertThat(node.two.take())
                .containsExactly(
                        of(new TakenBack(0, 1, 1, List.of(ID.slot()))), of(new Unregister(ID, 1)));
        assertThat(node.three.take())
                .containsExactly(
                        new Registered(0, 1, 1, List.of(ID.slot()), List.of()),
                        new Register(ID, 2, 1, true, 0));
        node.from(TWO, of(new Granted(1, 1, 700)));
        assertThat(node.happened).as("late").isEmpty();
        node.from(THREE, new Granted(2, 1));
        assertThat(node.happened).containsExactly("here");
    }

    @Test
    void grant_of_a_stand_in_is_not_taken_when_a_new_start_of_the_leader_was_told() {
        twoStandsIn();
        node.ask(false);
        NodeStart again = new NodeStart(3, 2);
        node.leader = new Leader(again, 2);
        node.turn(() -> node.shard.onLeadersChanged(OneShard.slots()));
        node.two.take();
        TestPeer three = new TestPeer(again, 3);
        node.turn(() -> node.shard.onUp(three, Resumed.NOTHING));
        node.from(TWO, of(new Granted(2, 2, 700)));
        assertThat(node.happened).as("the leader has not heard of it").isEmpty();
        assertThat(three.take())
                .containsExactly(
                        new Registered(0, 1, 2, List.of(ID.slot()), List.of()),
                        new Register(ID, 3, 2, true, 0));
    }

    @Test
    void answer_of_the_leader_from_before_a_cut_does_not_count_when_it_is_asked_anew_after_it() {
        node.leader(THREE, 1, false);
        OneShard.Asked asked = node.ask(false);
        twoStandsIn();
        node.three.take();
        node.turn(() -> node.shard.onHeard(THREE));
        node.standIn(null);
        assertThat(node.three.take()).contains(new Register(ID, 3, 1, true, 0));
        node.from(THREE, new Refused(1, 1, ReasonCode.SERVER_BUSY, ""));
        assertThat(asked.reason).isNull();
        node.from(THREE, new Granted(3, 1));
        assertThat(asked.stay).isNotNull();
    }

    @Test
    void leader_that_is_heard_again_is_told_what_the_stand_in_granted() {
        twoStandsIn();
        OneShard.Asked asked = node.ask(false);
        node.from(TWO, of(new Granted(1, 1, 700)));
        node.three.take();
        node.turn(() -> node.shard.onHeard(THREE));
        node.standIn(null);
        assertThat(node.three.take())
                .containsExactly(
                        new Registered(
                                0,
                                1,
                                1,
                                List.of(ID.slot()),
                                List.of(new Registration(ID, 1, 700))));
        node.two.take();
        node.turn(Objects.requireNonNull(asked.stay)::ended);
        assertThat(node.three.take()).containsExactly(new Unregister(ID, 1));
        assertThat(node.two.take()).isEmpty();
    }

    @Test
    void leader_that_is_heard_again_is_told_all_connections_as_a_new_one_is() {
        node.leader(THREE, 1, false);
        OneShard.Asked before = node.ask(false);
        node.from(THREE, new Granted(1, 1));
        twoStandsIn();
        OneShard.Asked meanwhile = node.ask(ID, false, node.new Asked());
        node.from(TWO, of(new Granted(2, 1, 700)));
        assertThat(before.stay).isNotNull();
        assertThat(meanwhile.stay).isNotNull();
        node.three.take();
        node.turn(() -> node.shard.onHeard(THREE));
        node.standIn(null);
        assertThat(node.three.take())
                .singleElement()
                .matches(each ->
                        each instanceof Registered told
                                && told.all()
                                        .containsAll(
                                                List.of(
                                                        new Registration(ID, 1, 0),
                                                        new Registration(ID, 2, 700))));
    }

    @Test
    void end_of_a_connection_that_the_leader_was_told_of_is_told_to_it_while_it_is_away_again() {
        twoStandsIn();
        OneShard.Asked asked = node.ask(false);
        node.from(TWO, of(new Granted(1, 1, 700)));
        node.turn(() -> node.shard.onHeard(THREE));
        node.standIn(null);
        twoStandsIn();
        node.three.take();
        node.turn(Objects.requireNonNull(asked.stay)::ended);
        assertThat(node.three.take()).containsExactly(new Unregister(ID, 1));
    }

    @Test
    void end_of_a_connection_that_the_stand_in_granted_is_told_to_it_and_not_to_the_leader() {
        twoStandsIn();
        OneShard.Asked asked = node.ask(false);
        node.from(TWO, of(new Granted(1, 1, 700)));
        node.two.take();
        node.three.take();
        node.turn(Objects.requireNonNull(asked.stay)::ended);
        assertThat(node.two.take()).containsExactly(of(new Unregister(ID, 1)));
        assertThat(node.three.take()).as("nothing waits for it").isEmpty();
    }

    @Test
    void end_is_answered_to_the_stand_in_that_asks_for_it() {
        twoStandsIn();
        OneShard.Asked asked = node.ask(false);
        node.from(TWO, of(new Granted(1, 1, 700)));
        node.two.take();
        node.from(TWO, of(new End(ID, 1)));
        node.turn(Objects.requireNonNull(asked.stay)::ended);
        assertThat(node.two.take()).containsExactly(of(new Ended(ID, 1)));
    }

    // ---------------------------------------------------------------- the leader that is back

    @Test
    void leader_ends_an_older_session_of_a_client_id_that_a_stand_in_granted_before_it_opens() {
        node.isOfflineHere = true;
        node.leader(SELF, 2, true);
        node.told(TWO, new Registration(ID, 0, 700));
        node.told(THREE);
        node.from(TWO, new Register(ID, 5, 2, false, 0));
        assertThat(node.happened).containsExactly("end if older than 700");
        assertThat(node.claims).as("it is not open yet").isEmpty();
        node.isOfflineHere = false;
        node.registrarEnds(false); // [MQTT-3.1.2-4]
        assertThat(node.happened).containsExactly("end if older than 700", "find at registrar");
        node.registrarAnswers(false);
        assertThat(node.two.take()).containsExactly(new Granted(5, 2));
    }

    @Test
    void connection_that_a_stand_in_granted_ends_when_the_leader_has_a_newer_session() {
        node.isOfflineHere = true;
        node.leader(SELF, 2, true);
        node.told(TWO, new Registration(ID, 7, 700));
        node.told(THREE);
        node.registrarEnds(true);
        assertThat(node.two.take()).containsExactly(new End(ID, 7));
        node.from(THREE, new Register(ID, 5, 2, false, 0));
        assertThat(node.claims).as("who is told to end has the client id yet").isEmpty();
        node.from(TWO, new Ended(ID, 7));
        node.registrarAnswers(true);
        assertThat(node.three.take()).contains(new HasSession(5, 2));
    }

    @Test
    void leader_that_is_told_late_ends_an_older_session_and_leaves_the_connection() {
        node.isOfflineHere = true;
        node.leads();
        node.told(TWO, new Registration(ID, 7, 700));
        assertThat(node.happened).containsExactly("end if older than 700");
        node.registrarEnds(false);
        assertThat(node.two.take()).isEmpty();
        assertThat(node.shard.registry().size()).isOne();
    }

    @Test
    void leader_that_is_told_late_of_a_grant_whose_connection_has_ended_ends_an_older_session() {
        node.isOfflineHere = true;
        node.leads();
        node.told(TWO, new Registration(ID, 0, 700));
        assertThat(node.happened).containsExactly("end if older than 700");
        node.registrarEnds(true);
        assertThat(node.two.take()).as("nobody is there to end").isEmpty();
        assertThat(node.shard.registry().size()).isZero();
    }

    @Test
    void leader_without_a_session_asks_its_registrar_nothing() {
        node.leader(SELF, 2, true);
        node.told(TWO, new Registration(ID, 0, 700));
        node.told(THREE);
        node.from(TWO, new Register(ID, 5, 2, false, 0));
        assertThat(node.happened).containsExactly("find at registrar");
    }

    @Test
    void leader_that_ends_sessions_while_it_loses_the_slot_goes_on_with_the_next_epoch() {
        node.isOfflineHere = true;
        node.leader(SELF, 2, true);
        node.told(TWO, new Registration(ID, 7, 700));
        node.leader(THREE, 3, false);
        node.registrarEnds(true);
        assertThat(node.two.take()).as("the next leader is told, too").isEmpty();
        assertThat(node.shard.registry().slots()).isZero();
    }

    // ---------------------------------------------------------------- Wills

    @Test
    void leader_that_is_back_is_told_that_the_stand_in_has_published_the_wills_of_an_ended_start() {
        lost();
        node.standIn(SELF);
        node.toldStandIn(TWO, new Registration(ID, 9, 0, LeaderWillsTest.WILL, null));
        node.turn(() -> node.shard.onDown(node.two, List.of()));
        node.turn(() -> node.shard.onUp(new TestPeer(new NodeStart(2, 2), 3), Resumed.NOTHING));
        assertThat(node.happened).contains("published gone");
        node.turn(() -> node.shard.onHeard(THREE));
        node.standIn(null);
        assertThat(node.three.take())
                .containsSubsequence(
                        new WillsDecided(1, List.of(ID.slot()), List.of(2)),
                        new Registered(0, 1, 1, List.of(ID.slot()), List.of()));
    }
}
