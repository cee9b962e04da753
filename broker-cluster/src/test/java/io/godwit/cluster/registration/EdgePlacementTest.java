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
import io.godwit.cluster.registration.RegistrationMessage.Register;
import io.godwit.cluster.registration.RegistrationMessage.Registered;
import io.godwit.cluster.registration.RegistrationMessage.Registration;
import io.godwit.cluster.registration.RegistrationMessage.Unregister;
import io.godwit.core.connection.Placement;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ReasonCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class EdgePlacementTest {
    private final OneShard node = new OneShard().linked();

    private OneShard.Asked hereByTwo() {
        node.leader(TWO, 1, false);
        OneShard.Asked asked = node.ask(false);
        node.two.take();
        node.from(TWO, new Granted(1, 1));
        assertThat(node.happened).containsExactly("here");
        return asked;
    }

    private void end(OneShard.Asked asked) {
        Placement.Stay stay = Objects.requireNonNull(asked.stay);
        node.turn(stay::ended);
    }

    @Test
    void connect_waits_for_a_leader_as_long_as_claim_wait_and_is_refused() {
        OneShard.Asked asked = node.ask(false);
        node.pass(9_900);
        assertThat(node.happened).isEmpty();
        node.pass(200);
        assertThat(asked.reason).isEqualTo(ReasonCode.SERVER_UNAVAILABLE);
        assertThat(node.happened).singleElement().asString().contains("out of reach");
        assertThat(node.shard.placement().questions()).isZero();
    }

    @Test
    void connect_that_waits_asks_as_soon_as_there_is_a_leader() {
        node.ask(false);
        node.leader(TWO, 1, false);
        assertThat(node.two.take())
                .containsExactly(
                        new Registered(0, 1, 1, List.of(ID.slot()), List.of()),
                        new Register(ID, 1, 1, true, 0));
    }

    @Test
    void connect_waits_for_a_leader_that_is_silent_and_asks_when_it_is_heard() {
        node.leader(TWO, 1, false);
        node.turn(() -> node.shard.onSilent(TWO));
        node.two.take();
        node.ask(false);
        assertThat(node.two.take()).isEmpty();
        node.turn(() -> node.shard.onHeard(TWO));
        assertThat(node.two.take()).containsExactly(new Register(ID, 1, 1, true, 0));
    }

    @Test
    void connect_that_a_silent_leader_was_asked_for_is_refused_after_claim_wait() {
        node.leader(TWO, 1, false);
        OneShard.Asked asked = node.ask(false);
        node.two.take();
        node.turn(() -> node.shard.onSilent(TWO));
        node.pass(10_100);
        assertThat(asked.reason).isEqualTo(ReasonCode.SERVER_UNAVAILABLE);
        assertThat(node.two.take()).containsExactly(new Unregister(ID, 1));
    }

    @Test
    void connect_asks_again_after_a_pause_when_a_node_says_it_is_no_leader_and_nothing_is_new() {
        node.leader(TWO, 1, false);
        node.ask(false);
        node.two.take();
        node.from(TWO, new NotLeader(1, 1, new byte[] {3}));
        assertThat(node.happened).containsExactly("merged row 3");
        assertThat(node.two.take()).isEmpty();
        node.pass(200);
        assertThat(node.two.take()).containsExactly(new Register(ID, 1, 1, true, 0));
    }

    @Test
    void answer_of_a_former_leader_does_not_count() {
        node.leader(TWO, 1, false);
        node.ask(false);
        node.leader(THREE, 2, false);
        node.from(TWO, new Granted(1, 1));
        assertThat(node.happened).isEmpty();
        node.from(THREE, new Granted(2, 2));
        assertThat(node.happened).containsExactly("here");
    }

    @Test
    void answer_under_a_former_epoch_of_the_same_leader_does_not_count() {
        node.leader(TWO, 1, false);
        node.ask(false);
        node.leader(TWO, 3, false);
        node.from(TWO, new Granted(1, 1));
        assertThat(node.happened).isEmpty();
    }

    @Test
    void durable_connect_is_opened_at_its_leader() {
        node.leader(TWO, 1, false);
        node.ask(true);
        assertThat(node.happened).containsExactly("open at 2/1");
    }

    @Test
    void connect_that_has_a_durable_session_is_opened_there() {
        node.leader(TWO, 1, false);
        node.ask(false);
        node.from(TWO, new HasSession(1, 1));
        assertThat(node.happened).containsExactly("open at 2/1");
    }

    private RemoteOpener.Answer opening() {
        return Objects.requireNonNull(node.opening);
    }

    @Test
    void connect_is_opened_later_when_its_leader_could_not_be_asked() {
        node.leader(TWO, 1, false);
        node.isUnreachable = true;
        node.ask(true);
        node.isUnreachable = false;
        node.pass(200);
        assertThat(node.happened).containsExactly("open at 2/1", "open at 2/1");
    }

    @Test
    void connect_that_its_leader_may_have_opened_ends_without_an_answer() {
        node.leader(TWO, 1, false);
        OneShard.Asked asked = node.ask(true);
        RemoteOpener.Answer answer = opening();
        node.turn(answer::lost);
        assertThat(node.happened).containsExactly("open at 2/1", "ended without an answer");
        assertThat(node.shard.placement().questions()).isZero();
        node.leader(THREE, 2, false);
        node.turn(answer::lost);
        node.turn(Objects.requireNonNull(asked.question)::withdraw);
        node.pass(20_000);
        assertThat(node.happened).hasSize(2);
    }

    @Test
    void connect_that_a_silent_leader_may_open_ends_without_an_answer_after_claim_wait() {
        node.leader(TWO, 1, false);
        OneShard.Asked asked = node.ask(true);
        node.turn(() -> node.shard.onSilent(TWO));
        node.pass(9_900);
        assertThat(node.happened).containsExactly("open at 2/1");
        node.pass(200);
        assertThat(node.happened)
                .containsExactly("open at 2/1", "opening withdrawn", "ended without an answer");
        assertThat(asked.reason).isNull();
        assertThat(node.shard.placement().questions()).isZero();
    }

    @Test
    void connect_that_is_being_opened_waits_for_that_node_when_another_one_leads_its_slot() {
        node.leader(TWO, 1, false);
        node.ask(true);
        RemoteOpener.Answer answer = opening();
        node.leader(THREE, 2, false);
        assertThat(node.happened).containsExactly("open at 2/1");
        node.turn(() -> answer.notLeader(new byte[] {3}));
        assertThat(node.happened).containsExactly("open at 2/1", "merged row 3", "open at 3/1");
    }

    @Test
    void connect_is_opened_again_after_a_pause_when_a_node_is_no_leader_and_nothing_is_new() {
        node.leader(TWO, 1, false);
        node.ask(true);
        node.turn(() -> opening().notLeader(new byte[] {3}));
        assertThat(node.happened).containsExactly("open at 2/1", "merged row 3");
        node.pass(200);
        assertThat(node.happened).containsExactly("open at 2/1", "merged row 3", "open at 2/1");
    }

    @Test
    void connect_that_is_withdrawn_is_taken_back_at_the_leader() {
        node.leader(TWO, 1, false);
        OneShard.Asked asked = node.ask(false);
        node.two.take();
        node.turn(Objects.requireNonNull(asked.question)::withdraw);
        assertThat(node.two.take()).containsExactly(new Unregister(ID, 1));
        node.from(TWO, new Granted(1, 1));
        assertThat(node.happened).isEmpty();
    }

    @Test
    void end_is_answered_when_the_publishes_of_the_connection_are() {
        OneShard.Asked asked = hereByTwo();
        node.from(TWO, new End(ID, 1));
        assertThat(node.happened).containsExactly("here", "taken over");
        assertThat(node.two.take()).isEmpty();
        end(asked);
        assertThat(node.two.take()).containsExactly(new Ended(ID, 1));
        assertThat(node.shard.placement().stays()).isZero();
    }

    @Test
    void end_is_answered_after_peer_timeout_when_publishes_are_not() {
        OneShard.Asked asked = hereByTwo();
        node.from(TWO, new End(ID, 1));
        node.pass(4_900);
        assertThat(node.two.take()).isEmpty();
        node.pass(200);
        assertThat(node.two.take()).containsExactly(new Ended(ID, 1));
        end(asked);
        assertThat(node.two.take()).isEmpty();
    }

    @Test
    void end_of_a_connection_that_is_gone_is_answered_at_once() {
        node.leader(TWO, 1, false);
        node.two.take();
        node.from(TWO, new End(ID, 77));
        assertThat(node.two.take()).containsExactly(new Ended(ID, 77));
    }

    @Test
    void new_leader_is_told_the_registered_connections() {
        OneShard.Asked asked = hereByTwo();
        node.leader(THREE, 2, false);
        assertThat(node.three.take())
                .containsExactly(
                        new Registered(
                                0, 1, 2, List.of(ID.slot()), List.of(new Registration(ID, 1))));
        end(asked);
        assertThat(node.three.take()).containsExactly(new Unregister(ID, 1));
    }

    @Test
    void durable_connect_is_ended_when_its_node_does_not_lead_any_more() {
        node.leads();
        node.ask(true);
        node.leader(TWO, 2, false);
        assertThat(node.happened).containsExactly("here", "led elsewhere");
    }

    @Test
    void connection_with_a_claim_under_way_keeps_a_slot_from_being_given() {
        node.leads();
        OneShard.Asked asked = node.ask(false);
        assertThat(node.shard.registry().giveUp(OneShard.slots()).isEmpty()).isTrue();
        node.turn(Objects.requireNonNull(asked.stay)::claimed);
        assertThat(node.shard.registry().giveUp(OneShard.slots()).isEmpty()).isFalse();
        assertThat(node.leader).isEqualTo(new Leader(SELF, 1));
    }

    @Test
    void registered_connection_takes_at_most_150_bytes_at_its_edge() {
        int many = 100_000;
        node.leaderOfAll(TWO, 1);
        List<OneShard.Asked> all = new ArrayList<>(many);
        List<ClientId> ids = new ArrayList<>(many);
        for (int i = 0; i < many; i++) {
            all.add(node.new Asked());
            ids.add(ClientId.of("sensor-" + i));
        }
        long before = OneShard.heap();
        for (int i = 0; i < many; i++) {
            node.ask(ids.get(i), false, all.get(i));
            node.from(TWO, new Granted(i + 1L, 1));
            node.two.take();
            node.two.offered.clear();
            all.get(i).question = null;
        }
        node.happened.clear();
        long each = (OneShard.heap() - before) / many;
        System.out.printf("registered connection at its edge: %d bytes of heap%n", each);
        assertThat(node.shard.placement().stays()).isEqualTo(many);
        assertThat(each).isBetween(20L, EdgeStay.BYTES);
        assertThat(node.charged).isBetween(each * many, 3 * each * many);
    }

    @Test
    void connection_is_charged_at_its_edge_until_it_has_ended() {
        node.leader(TWO, 1, false);
        OneShard.Asked asked = node.ask(false);
        assertThat(node.charged).isZero();
        node.from(TWO, new Granted(1, 1));
        long registered = node.charged;
        assertThat(registered).isPositive();
        node.turn(Objects.requireNonNull(asked.stay)::claimed);
        assertThat(node.charged).isEqualTo(registered);
        node.from(TWO, new RegistrationMessage.End(ID, 1));
        assertThat(node.charged).isGreaterThan(registered);
        node.turn(Objects.requireNonNull(asked.stay)::ended);
        assertThat(node.charged).isZero();
    }

    @Test
    void durable_connection_is_charged_while_it_claims() {
        node.leads();
        OneShard.Asked asked = node.ask(true);
        assertThat(node.charged).isPositive();
        node.turn(Objects.requireNonNull(asked.stay)::claimed);
        assertThat(node.charged).isZero();
    }
}
