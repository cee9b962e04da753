package io.godwit.cluster.registration;

import static io.godwit.cluster.registration.OneShard.ID;
import static io.godwit.cluster.registration.OneShard.SELF;
import static io.godwit.cluster.registration.OneShard.THREE;
import static io.godwit.cluster.registration.OneShard.TWO;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.registration.LocalClaims.Found;
import io.godwit.cluster.registration.RegistrationMessage.End;
import io.godwit.cluster.registration.RegistrationMessage.Ended;
import io.godwit.cluster.registration.RegistrationMessage.Granted;
import io.godwit.cluster.registration.RegistrationMessage.OfStandIn;
import io.godwit.cluster.registration.RegistrationMessage.Refused;
import io.godwit.cluster.registration.RegistrationMessage.Register;
import io.godwit.cluster.registration.RegistrationMessage.Registered;
import io.godwit.cluster.registration.RegistrationMessage.Registration;
import io.godwit.cluster.registration.RegistrationMessage.Unregister;
import io.godwit.core.auth.Security.SessionOwner;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.takeover.ClaimingUser;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Client ids of nodes whose sessions belong to users. */
class OwnedClientIdsTest {
    private final OneShard node = new OneShard(SessionOwner.USER).linked();

    private static Register register(long number, @Nullable String user) {
        return new Register(ID, number, 1, true, 0, null, ClaimingUser.of(user));
    }

    private static Registration told(long number, long grantedAt, @Nullable String user) {
        return new Registration(ID, number, grantedAt, null, ClaimingUser.of(user));
    }

    private static Refused refused(long number) {
        return new Refused(number, 1, ReasonCode.CLIENT_IDENTIFIER_NOT_VALID, ClaimingUser.REFUSAL);
    }

    /** Node 2 has the client id, by connection 1 of a user. */
    private void grantedToTwo(@Nullable String user) {
        node.leads();
        node.from(TWO, register(1, user));
        node.registrarAnswers(false);
        assertThat(node.two.take()).contains(new Granted(1, 1));
        node.happened.clear();
    }

    // ---------------------------------------------------------------- the leader

    @Test
    void connection_of_another_user_is_refused_and_nothing_ends_for_it() {
        grantedToTwo("ann");
        long charged = node.charged;
        long connectBytes = node.shard.connectBytes();
        node.from(THREE, register(5, "bob"));
        node.from(THREE, register(6, null));
        OneShard.Asked own = node.askBy("bob");
        assertThat(node.three.take()).containsExactly(refused(5), refused(6));
        assertThat(own.reason).isEqualTo(ReasonCode.CLIENT_IDENTIFIER_NOT_VALID);
        assertThat(node.two.take()).isEmpty();
        assertThat(node.claims).isEmpty();
        assertThat(node.charged).isEqualTo(charged);
        assertThat(node.shard.connectBytes()).isEqualTo(connectBytes);
        assertThat(node.shard.registry().claimed()).isZero();
    }

    @Test
    void newer_connection_of_the_same_user_ends_the_older_one() {
        grantedToTwo("ann");
        node.from(THREE, register(5, "ann"));
        assertThat(node.two.take()).containsExactly(new End(ID, 1));
        node.from(TWO, new Ended(ID, 1));
        assertThat(node.happened).containsExactly("end at registrar by ann");
        node.registrarAnswers(false);
        assertThat(node.three.take()).containsExactly(new Granted(5, 1));
    }

    @Test
    void connection_of_nobody_may_be_ended_by_every_user() {
        grantedToTwo(null);
        node.from(THREE, register(5, "bob"));
        assertThat(node.two.take()).containsExactly(new End(ID, 1));
    }

    @Test
    void claim_of_a_node_where_sessions_are_anyones_ends_every_connection() {
        grantedToTwo("ann");
        node.from(THREE, new Register(ID, 5, 1, true, 0));
        assertThat(node.two.take()).containsExactly(new End(ID, 1));
    }

    @Test
    void client_id_is_free_for_another_user_when_its_connection_has_ended() {
        grantedToTwo("ann");
        node.from(TWO, new Unregister(ID, 1));
        assertThat(node.charged).isZero();
        node.from(THREE, register(5, "bob"));
        node.registrarAnswers(false);
        assertThat(node.three.take()).containsExactly(new Granted(5, 1));
    }

    @Test
    void connection_at_a_node_that_is_out_of_reach_keeps_its_client_id_from_other_users() {
        grantedToTwo("ann");
        node.turn(() -> node.shard.onSilent(TWO));
        node.from(THREE, register(5, "bob"));
        assertThat(node.three.take()).containsExactly(refused(5));
        node.from(THREE, register(6, "ann"));
        node.registrarAnswers(false);
        assertThat(node.three.take()).containsExactly(new Granted(6, 1));
    }

    @Test
    void session_of_another_user_at_the_leader_is_not_ended_and_no_connection_is_for_it() {
        grantedToTwo(null);
        node.ownerHere = "ann";
        node.from(THREE, register(5, "bob"));
        assertThat(node.three.take()).containsExactly(refused(5));
        assertThat(node.two.take()).isEmpty();
        assertThat(node.happened).isEmpty();
    }

    @Test
    void claim_is_refused_when_the_registrar_finds_a_session_of_another_user() {
        node.leads();
        node.from(TWO, register(1, "bob"));
        node.registrarAnswers(Found.OF_ANOTHER_USER);
        assertThat(node.two.take()).containsExactly(refused(1));
        assertThat(node.shard.registry().size()).isZero();
        assertThat(node.charged).isZero();
    }

    @Test
    void claim_that_waits_behind_one_of_another_user_is_refused_when_that_is_granted() {
        node.leads();
        node.from(TWO, register(1, "ann"));
        node.from(THREE, register(5, "bob"));
        node.from(THREE, register(6, "ann"));
        node.registrarAnswers(false);
        assertThat(node.two.take()).containsExactly(new Granted(1, 1), new End(ID, 1));
        assertThat(node.three.take()).containsExactly(refused(5));
        node.from(TWO, new Ended(ID, 1));
        node.registrarAnswers(false);
        assertThat(node.three.take()).containsExactly(new Granted(6, 1));
    }

    @Test
    void new_leader_knows_the_users_of_connections_that_it_is_told_of() {
        node.leader(SELF, 1, true);
        node.told(TWO, told(9, 0, "ann"));
        node.from(THREE, register(5, "bob"));
        assertThat(node.three.take()).as("not open").isEmpty();
        node.told(THREE);
        assertThat(node.three.take()).containsExactly(refused(5));
        assertThat(node.two.take()).isEmpty();
    }

    @Test
    void names_of_users_are_charged_with_at_least_what_they_take() {
        int many = 100_000;
        List<Integer> slots = new ArrayList<>();
        for (int slot = 0; slot < ClientId.SLOTS; slot++) {
            slots.add(slot);
        }
        long before = OneShard.heap();
        for (int done = 0; done < many; done += 1_000) {
            List<Registration> some = new ArrayList<>();
            for (int i = done; i < done + 1_000; i++) {
                ClientId id = ClientId.of("sensor-" + (1_000_000 + i));
                some.add(new Registration(id, i + 1, 0, null, ClaimingUser.of("user-" + i)));
            }
            node.from(TWO, new Registered(0, 1, 1, slots, some));
        }
        long taken = OneShard.heap() - before;
        System.out.printf(
                "registered connection of a user at its leader: %d bytes of heap, %d charged%n",
                taken / many, node.charged / many);
        assertThat(node.shard.registry().size()).isEqualTo(many);
        assertThat(node.charged).isBetween(taken, 2 * taken);
    }

    // ---------------------------------------------------------------- the edge

    @Test
    void edge_tells_the_leader_and_the_next_one_whose_connection_it_is() {
        node.leader(TWO, 1, false);
        node.askBy("ann");
        assertThat(node.two.take()).contains(register(1, "ann"));
        node.from(TWO, new Granted(1, 1));
        node.leader(THREE, 2, false);
        assertThat(node.three.take())
                .contains(new Registered(0, 1, 2, List.of(ID.slot()), List.of(told(1, 0, "ann"))));
    }

    @Test
    void client_is_told_that_the_session_is_another_users() {
        node.leader(TWO, 1, false);
        OneShard.Asked asked = node.askBy(null);
        assertThat(node.two.take()).contains(register(1, null));
        node.from(TWO, refused(1));
        assertThat(asked.reason).isEqualTo(ReasonCode.CLIENT_IDENTIFIER_NOT_VALID);
    }

    // ---------------------------------------------------------------- grants of stand-ins

    @Test
    void session_of_another_user_outlives_a_grant_of_a_stand_in_whose_connection_ends() {
        node.isOfflineHere = true;
        node.ownerHere = "ann";
        node.leader(SELF, 1, true);
        node.told(TWO, told(7, 700, "bob"));
        node.told(THREE);
        assertThat(node.happened).containsExactly("end if older than 700 by bob");
        node.from(THREE, register(5, "ann"));
        node.registrarEnds(true);
        assertThat(node.two.take()).containsExactly(new End(ID, 7), new End(ID, 7));
        assertThat(node.three.take()).as("waits for the end, and is not refused").isEmpty();
        node.from(TWO, new Ended(ID, 7));
        node.registrarAnswers(true);
        assertThat(node.three.take()).containsExactly(new RegistrationMessage.HasSession(5, 1));
    }

    @Test
    void stand_in_tells_the_leader_of_its_last_grant_to_each_user() {
        node.leader(THREE, 1, false);
        node.turn(() -> node.shard.onSilent(THREE));
        node.standIn(SELF);
        node.toldStandIn(TWO);
        for (String user : List.of("ann", "bob")) {
            node.from(TWO, new OfStandIn(register(1, user)));
            node.registrarAnswers(false);
            node.from(TWO, new OfStandIn(new Unregister(ID, 1)));
            node.grantClock += 100;
        }
        node.three.take();
        node.turn(() -> node.shard.onHeard(THREE));
        node.standIn(null);
        assertThat(node.three.take())
                .singleElement()
                .matches(each ->
                        each instanceof Registered registered
                                && registered.all().size() == 2
                                && registered
                                        .all()
                                        .containsAll(
                                                List.of(told(0, 700, "ann"), told(0, 800, "bob"))));
        assertThat(node.charged).isZero();
    }
}
