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
import io.godwit.cluster.registration.RegistrationMessage.Refused;
import io.godwit.cluster.registration.RegistrationMessage.Register;
import io.godwit.cluster.registration.RegistrationMessage.Registration;
import io.godwit.cluster.registration.RegistrationMessage.Unregister;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Resumed;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ReasonCode;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class LeaderRegistryTest {
    private final OneShard node = new OneShard().linked();

    private static Register register(long number, boolean isClean) {
        return new Register(ID, number, 1, isClean, 0);
    }

    /** Node 2 has the client id, by its connection 1. */
    private void grantedToTwo() {
        node.leads();
        node.from(TWO, register(1, true));
        node.registrarAnswers(false);
        assertThat(node.two.take()).contains(new Granted(1, 1));
    }

    @Test
    void clean_start_is_granted_after_the_session_at_the_leader_has_ended() { // [MQTT-3.1.2-4]
        node.leads();
        node.from(TWO, register(1, true));
        assertThat(node.happened).containsExactly("end at registrar");
        assertThat(node.two.take()).isEmpty();
        node.registrarAnswers(false);
        assertThat(node.two.take()).containsExactly(new Granted(1, 1));
    }

    @Test
    void connect_without_clean_start_is_sent_to_the_durable_session() {
        node.leads();
        node.from(TWO, register(1, false));
        node.registrarAnswers(true);
        assertThat(node.two.take()).containsExactly(new HasSession(1, 1));
        assertThat(node.shard.registry().size()).isZero();
    }

    @Test
    void later_connect_waits_until_the_earlier_connection_has_ended() {
        grantedToTwo();
        node.from(THREE, register(5, false));
        assertThat(node.two.take()).containsExactly(new End(ID, 1));
        assertThat(node.three.take()).isEmpty();
        node.from(TWO, new Ended(ID, 1));
        node.registrarAnswers(false);
        assertThat(node.three.take()).containsExactly(new Granted(5, 1));
        node.from(THREE, new Unregister(ID, 5));
        assertThat(node.shard.registry().size()).isZero();
    }

    @Test
    void two_connects_are_served_in_the_order_in_which_they_come() {
        node.leads();
        node.from(TWO, register(1, false));
        node.from(THREE, register(5, false));
        node.registrarAnswers(false);
        assertThat(node.two.take()).containsExactly(new Granted(1, 1), new End(ID, 1));
        node.from(TWO, new Ended(ID, 1));
        node.registrarAnswers(false);
        assertThat(node.three.take()).containsExactly(new Granted(5, 1));
    }

    private static Register sentAt(long connectedMs, long number) {
        return new Register(ID, number, 1, true, connectedMs);
    }

    @Test
    void connect_that_comes_late_is_refused_when_a_later_one_has_come() {
        grantedToTwo();
        node.pass(9_000);
        node.from(THREE, sentAt(8_900, 5));
        node.from(TWO, new Ended(ID, 1));
        node.registrarAnswers(false);
        node.from(THREE, new Unregister(ID, 5));
        node.two.take();
        node.from(TWO, sentAt(8_700, 2));
        assertThat(node.two.take()).containsExactly(refused(2, ClientIdClaims.OLDER));
        assertThat(node.claims).isEmpty();
        node.from(TWO, sentAt(8_850, 3));
        assertThat(node.claims).as("as good as sent at the same moment").hasSize(1);
    }

    @Test
    void connect_of_the_own_node_is_refused_when_a_later_one_has_come() {
        node.leads();
        OneShard.Asked late = node.new Asked();
        node.pass(2_000);
        node.from(TWO, sentAt(2_000, 2));
        node.registrarAnswers(false);
        node.ask(ID, true, 1_000, late);
        assertThat(late.reason).isEqualTo(ReasonCode.SERVER_BUSY);
        assertThat(node.happened).contains("refused: " + ClientIdClaims.OLDER);
    }

    @Test
    void connect_is_served_though_a_later_one_was_served_if_it_is_asked_again() {
        grantedToTwo();
        node.from(TWO, register(2, true));
        node.from(TWO, new Ended(ID, 1));
        node.registrarAnswers(false);
        assertThat(node.two.take()).contains(new Granted(2, 1));
    }

    @Test
    void connect_that_its_node_has_given_up_is_refused() {
        node.leads();
        node.pass(31_000);
        node.from(TWO, sentAt(900, 2));
        assertThat(node.two.take()).containsExactly(refused(2, ClientIdClaims.OLDER));
        assertThat(node.claims).isEmpty();
        node.from(TWO, sentAt(1_100, 3));
        assertThat(node.claims).hasSize(1);
    }

    @Test
    void last_connects_are_forgotten_when_no_earlier_one_is_served_any_more() {
        node.leads();
        node.from(TWO, sentAt(0, 2));
        assertThat(node.shard.connectBytes()).isEqualTo(LastConnects.ENTRY_BYTES + ID.length());
        node.pass(32_000);
        assertThat(node.shard.connectBytes()).isZero();
    }

    @Test
    void last_connects_are_bounded_and_counted_with_at_least_what_they_take() {
        LastConnects connects = new LastConnects(OneShard.TIMES, node);
        int many = LastConnects.IDS_MAX;
        long before = OneShard.heap();
        for (int i = 0; i < many; i++) {
            connects.admit(ClientId.of("sensor-" + i), 0);
        }
        assertThat(connects.bytes()).isBetween(OneShard.heap() - before, 30L << 20);
        long all = connects.bytes();
        connects.admit(ClientId.of("sensor-n"), 0);
        assertThat(connects.bytes()).isEqualTo(all);
        assertThat(connects.admit(ClientId.of("sensor-n"), -200)).isFalse();
        assertThat(connects.admit(ClientId.of("sensor-0"), -200)).as("forgotten").isTrue();
    }

    private static Refused refused(long number, String text) {
        return new Refused(number, 1, ReasonCode.SERVER_BUSY, text);
    }

    @Test
    void edge_that_does_not_answer_is_waited_for_as_long_as_peer_timeout() {
        grantedToTwo();
        node.from(THREE, register(5, true));
        node.pass(4_900);
        assertThat(node.claims).isEmpty();
        node.pass(200);
        node.registrarAnswers(false);
        assertThat(node.three.take()).containsExactly(new Granted(5, 1));
    }

    @Test
    void edge_that_is_silent_is_not_waited_for() {
        grantedToTwo();
        node.turn(() -> node.shard.onSilent(TWO));
        node.from(THREE, register(5, true));
        assertThat(node.claims).hasSize(1);
        assertThat(node.two.take()).as("for its return").containsExactly(new End(ID, 1));
    }

    @Test
    void edge_that_has_started_anew_has_no_connections() {
        grantedToTwo();
        node.from(THREE, register(5, true));
        TestPeer again = new TestPeer(new NodeStart(2, 2), 3);
        node.turn(() -> node.shard.onUp(again, Resumed.NOTHING));
        assertThat(node.claims).hasSize(1);
    }

    @Test
    void connect_of_a_node_that_has_started_anew_is_not_granted() {
        node.leads();
        node.from(THREE, register(5, true));
        node.from(TWO, register(1, true));
        TestPeer again = new TestPeer(new NodeStart(2, 2), 3);
        node.turn(() -> node.shard.onUp(again, Resumed.NOTHING));
        node.registrarAnswers(false);
        assertThat(node.three.take()).containsExactly(new Granted(5, 1));
        assertThat(node.shard.registry().claimed()).isZero();
    }

    @Test
    void withdrawn_connect_is_not_granted() {
        node.leads();
        node.from(TWO, register(1, true));
        node.from(TWO, new Unregister(ID, 1));
        node.registrarAnswers(false);
        assertThat(node.two.take()).isEmpty();
        assertThat(node.shard.registry().size()).isZero();
    }

    @Test
    void oldest_connect_that_waits_is_refused_when_too_many_wait() {
        node.leads();
        for (int i = 1; i <= LeaderRegistry.WAITING_MAX + 2; i++) {
            node.from(TWO, register(i, true));
        }
        assertThat(node.two.take())
                .singleElement()
                .matches(each ->
                        each instanceof Refused refused
                                && refused.number() == 2
                                && refused.reason() == ReasonCode.SERVER_BUSY);
        assertThat(node.shard.registry().claimed()).isOne();
        assertThat(node.shard.registry().refusedForNewer()).isOne();
    }

    @Test
    void nothing_is_granted_before_all_nodes_have_told_their_connections() {
        node.leader(SELF, 1, true);
        node.told(TWO, new Registration(ID, 9));
        node.from(THREE, register(5, true));
        assertThat(node.two.take()).isEmpty();
        node.told(THREE);
        assertThat(node.two.take())
                .as("heard of by the new leader")
                .containsExactly(new End(ID, 9));
    }

    @Test
    void node_that_tells_nothing_is_waited_for_as_long_as_peer_timeout() {
        node.leader(SELF, 1, true);
        node.told(TWO);
        node.from(TWO, register(5, true));
        node.pass(4_900);
        assertThat(node.claims).isEmpty();
        node.pass(200);
        assertThat(node.claims).hasSize(1);
    }

    @Test
    void connection_that_is_told_late_is_ended_when_a_newer_one_has_the_client_id() {
        node.leader(SELF, 1, true);
        node.told(TWO);
        node.from(TWO, register(1, true));
        node.pass(5_100);
        node.registrarAnswers(false);
        node.told(THREE, new Registration(ID, 7));
        assertThat(node.three.take()).containsExactly(new End(ID, 7));
    }

    @Test
    void connect_is_refused_when_its_leader_does_not_act_within_claim_wait() {
        node.leader(SELF, 1, false);
        node.from(TWO, register(1, true));
        node.pass(9_900);
        assertThat(node.two.take()).isEmpty();
        node.pass(300);
        assertThat(node.two.take())
                .singleElement()
                .matches(each ->
                        each instanceof Refused refused
                                && refused.reason() == ReasonCode.SERVER_UNAVAILABLE);
        assertThat(node.shard.registry().size()).isZero();
    }

    @Test
    void claim_behind_one_of_the_own_node_that_was_under_way_waits_until_the_slot_is_open() {
        node.leader(THREE, 1, false);
        OneShard.Asked own = node.ask(false);
        node.from(THREE, new Granted(1, 1));
        node.leader(SELF, 2, true);
        node.from(TWO, new Register(ID, 9, 2, true, 0));
        node.turn(Objects.requireNonNull(own.stay)::claimed);
        assertThat(node.claims).as("others may have told nothing yet").isEmpty();
        node.told(TWO);
        assertThat(node.claims).isEmpty();
        node.told(THREE);
        assertThat(node.claims).hasSize(1);
        node.registrarAnswers(false);
        assertThat(node.two.take()).contains(new Granted(9, 2));
    }

    @Test
    void slot_that_waits_for_a_node_waits_for_its_new_start() {
        node.leader(SELF, 1, true);
        node.told(THREE);
        node.from(THREE, register(5, true));
        NodeStart again = new NodeStart(2, 2);
        node.turn(() -> node.shard.onUp(new TestPeer(again, 3), Resumed.NOTHING));
        assertThat(node.claims).isEmpty();
        node.told(again, new Registration(ID, 2));
        assertThat(node.claims).isEmpty();
        node.from(again, new Ended(ID, 2));
        assertThat(node.claims).hasSize(1);
    }

    @Test
    void slot_is_given_only_without_claims_and_answers_not_leader_from_then_on() {
        node.leads();
        node.from(TWO, register(1, true));
        assertThat(node.shard.registry().giveUp(OneShard.slots()).isEmpty()).isTrue();
        node.registrarAnswers(false);
        assertThat(node.shard.registry().giveUp(OneShard.slots())).isEqualTo(OneShard.slots());
        assertThat(node.shard.registry().size()).isZero();
        node.two.take();
        node.from(TWO, register(2, true));
        assertThat(node.two.take())
                .singleElement()
                .matches(each -> each instanceof NotLeader not && not.row()[0] == 7);
    }

    @Test
    void connect_that_was_asked_under_another_epoch_is_not_granted() {
        node.leads();
        node.from(TWO, new Register(ID, 2, 4, true, 0));
        assertThat(node.claims).isEmpty();
        assertThat(node.two.take()).singleElement().isInstanceOf(NotLeader.class);
    }

    @Test
    void registrations_of_a_former_epoch_are_not_remembered() {
        node.leader(SELF, 1, true);
        node.leader(THREE, 2, false);
        node.from(
                TWO,
                new RegistrationMessage.Registered(
                        0, 1, 1, List.of(ID.slot()), List.of(new Registration(ID, 9))));
        assertThat(node.shard.registry().size()).isZero();
    }

    @Test
    void two_connections_that_are_told_are_both_ended_for_a_newer_one() {
        node.leader(SELF, 1, true);
        node.told(TWO, new Registration(ID, 3), new Registration(ID, 4));
        node.told(THREE);
        node.from(THREE, register(5, true));
        assertThat(node.two.take()).containsExactly(new End(ID, 3), new End(ID, 4));
        node.from(TWO, new Ended(ID, 3));
        assertThat(node.claims).isEmpty();
        node.from(TWO, new Ended(ID, 4));
        assertThat(node.claims).hasSize(1);
    }

    @Test
    void registered_connection_takes_at_most_130_bytes_beside_its_client_id() {
        int many = 200_000;
        List<Registration> all = new ArrayList<>(many);
        for (long i = 1; all.size() < many; i++) {
            all.add(new Registration(ClientId.of("sensor-" + i), i));
        }
        BitSet slots = new BitSet();
        all.forEach(each -> slots.set(each.clientId().slot()));
        RegistrationMessage told =
                new RegistrationMessage.Registered(0, 1, 1, slots.stream().boxed().toList(), all);
        long before = OneShard.heap();
        node.from(TWO, told);
        long each = (OneShard.heap() - before) / many;
        System.out.printf("registered connection at its leader: %d bytes of heap%n", each);
        assertThat(node.shard.registry().size()).isEqualTo(many);
        assertThat(told).isNotNull();
        assertThat(each).isBetween(20L, 130L);
    }

    /** The client id, too: at a node nothing else has it. */
    @Test
    void registered_connections_are_charged_with_at_least_what_they_take() {
        int many = 100_000;
        List<Integer> slots = new ArrayList<>();
        for (int slot = 0; slot < ClientId.SLOTS; slot++) {
            slots.add(slot);
        }
        long before = OneShard.heap();
        for (int done = 0; done < many; done += 1_000) {
            List<Registration> some = new ArrayList<>();
            for (int i = done; i < done + 1_000; i++) {
                some.add(new Registration(ClientId.of("sensor-" + (1_000_000 + i)), i + 1));
            }
            node.from(TWO, new RegistrationMessage.Registered(0, 1, 1, slots, some));
        }
        long taken = OneShard.heap() - before;
        System.out.printf(
                "registered connection at its leader: %d bytes of heap, %d charged%n",
                taken / many, node.charged / many);
        assertThat(node.shard.registry().size()).isEqualTo(many);
        assertThat(node.charged).isBetween(taken, 2 * taken);
        node.turn(() -> node.shard.onUp(new TestPeer(new NodeStart(2, 2), 3), Resumed.NOTHING));
        assertThat(node.shard.registry().size()).isZero();
        assertThat(node.charged).isZero();
    }

    @Test
    void claims_that_wait_are_charged_with_at_least_what_they_take() {
        int many = 50_000;
        node.leaderOfAll(SELF, 1);
        List<ClientId> ids = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            ids.add(ClientId.of("sensor-" + i));
        }
        long before = OneShard.heap();
        for (int i = 0; i < many; i++) {
            node.from(TWO, new Register(ids.get(i), i + 1, 1, true, 0));
        }
        long taken = OneShard.heap() - before;
        System.out.printf(
                "client id claimed at its leader: %d bytes of heap, %d charged%n",
                taken / many, node.charged / many);
        assertThat(node.shard.registry().claimed()).isEqualTo(many);
        assertThat(node.charged).isBetween(taken, 2 * taken);
        assertThat(ids).hasSize(many);
    }

    @Test
    void client_id_is_charged_until_its_connection_has_ended() {
        assertThat(node.charged).isZero();
        node.leads();
        node.from(TWO, register(1, true));
        long withClaim = node.charged;
        node.registrarAnswers(false);
        assertThat(node.charged).isBetween(RegistryEntries.ENTRY_BYTES + 6L, withClaim - 1);
        node.from(TWO, new Unregister(ID, 1));
        assertThat(node.charged).isZero();
    }

    @Test
    void connections_that_are_told_twice_are_charged_until_all_have_ended() {
        node.leader(SELF, 1, true);
        node.told(TWO, new Registration(ID, 3), new Registration(ID, 4));
        long both = node.charged;
        node.from(TWO, new Unregister(ID, 3));
        assertThat(node.charged).isBetween(1L, both - 1);
        node.from(TWO, new Unregister(ID, 4));
        assertThat(node.charged).isZero();
    }

    @Test
    void client_ids_of_a_slot_that_is_lost_are_charged_no_more() {
        grantedToTwo();
        node.from(THREE, register(5, true));
        assertThat(node.charged).isPositive();
        node.leader(THREE, 2, false);
        assertThat(node.charged).isZero();
    }

    @Test
    void client_id_for_which_there_is_no_room_is_refused_as_at_its_own_node() {
        node.leads();
        node.chargedMax = node.charged + RegistryEntries.ENTRY_BYTES;
        node.from(TWO, register(1, true));
        assertThat(node.two.take())
                .containsExactly(new Refused(1, 1, ReasonCode.QUOTA_EXCEEDED, ""));
        assertThat(node.refused).isEqualTo(1);
        assertThat(node.claims).isEmpty();
        assertThat(node.shard.registry().size()).isZero();
        assertThat(node.charged).isZero();
    }

    @Test
    void client_id_that_is_here_already_is_served_though_there_is_no_room() {
        grantedToTwo();
        node.chargedMax = 0;
        node.from(THREE, register(5, true));
        node.from(TWO, new Ended(ID, 1));
        node.registrarAnswers(false);
        assertThat(node.three.take()).containsExactly(new Granted(5, 1));
        assertThat(node.refused).isZero();
    }

    @Test
    void session_that_is_here_is_found_though_there_is_no_room() {
        node.leads();
        node.chargedMax = 0;
        node.isDurableHere = true;
        node.from(TWO, register(1, false));
        node.registrarAnswers(true);
        assertThat(node.two.take()).containsExactly(new HasSession(1, 1));
        assertThat(node.charged).isZero();
    }

    /** Its client connects again and again while the leader can't answer. */
    @Test
    void client_id_that_is_claimed_often_before_the_slot_opens_takes_no_more_room() {
        node.leader(SELF, 1, true);
        for (int i = 1; i <= 1_000; i++) {
            node.from(TWO, register(i, true));
        }
        assertThat(node.shard.registry().idsHeld()).isOne();
    }

    @Test
    void client_ids_of_other_nodes_are_remembered_until_they_end() {
        node.leads();
        node.told(TWO, new Registration(ID, 3));
        assertThat(node.shard.registry().size()).isOne();
        node.from(TWO, new Unregister(ID, 3));
        assertThat(node.shard.registry().size()).isZero();
        assertThat(List.of(node.two.take(), node.three.take())).allMatch(List::isEmpty);
    }
}
