package io.godwit.core.takeover;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.SettableTime;
import io.godwit.core.node.TestClient;
import io.godwit.core.node.TestNode;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.session.Session;
import io.godwit.core.settings.Rules;
import io.godwit.core.store.MemoryStore;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a registrar decides about client ids that have no session, and which slots are in use. */
class RegistrarTest {
    private static final ClientId ID = ClientId.of("c");

    private final List<String> decided = new ArrayList<>();
    private long lastToken;

    private final Grants grants =
            new Grants() {
                @Override
                public void grant(Claim claim) {
                    decided.add("grant " + claim.token().number());
                }

                @Override
                public void recall(Claim claim, Session session) {
                    throw new AssertionError("no session is here");
                }

                @Override
                public void withdrawn(Claim claim) {
                    decided.add("withdrawn " + claim.token().number());
                }
            };

    private final Registrar registrar = new Registrar(0, Rules.ALL, grants);

    private void claim() {
        registrar.claim(new Claim(ID, new Token(0, ++lastToken), false, 0, null));
    }

    @Test
    void a_claim_that_waits_is_not_carried_out_when_its_connection_has_ended() {
        claim();
        claim();
        claim();
        registrar.withdraw(ID, new Token(0, 2));
        assertThat(decided).containsExactly("grant 1", "withdrawn 2");
        registrar.settled(ID, Holder.UNKNOWN);
        assertThat(decided).containsExactly("grant 1", "withdrawn 2", "grant 3");
    }

    @Test
    void a_claim_that_is_under_way_goes_on_when_its_connection_has_ended() {
        claim();
        registrar.withdraw(ID, new Token(0, 1));
        registrar.withdraw(ClientId.of("another"), new Token(0, 1));
        assertThat(decided).containsExactly("grant 1");
    }

    @Test
    void a_client_id_without_a_session_is_granted_to_one_claim_at_a_time() {
        claim();
        claim();
        assertThat(decided).containsExactly("grant 1");
        assertThat(registrar.holder(ID)).isInstanceOf(Holder.Unknown.class);
    }

    @Test
    void claims_that_wait_begin_in_order_each_when_the_one_before_is_settled() {
        claim();
        claim();
        claim();
        registrar.settled(ID, Holder.UNKNOWN);
        assertThat(decided).containsExactly("grant 1", "grant 2");
        registrar.settled(ID, Holder.UNKNOWN);
        assertThat(decided).containsExactly("grant 1", "grant 2", "grant 3");
        registrar.settled(ID, Holder.UNKNOWN);
        assertThat(registrar.size()).isZero();
    }

    // ---------------------------------------------------------------- slots

    private static final int EXPIRY_SECONDS = 60;

    private final TestNode node = TestNode.restarted(new MemoryStore(), new SettableTime());
    private final Registrar ofNode = node.broker().shard(0).takeover().registrar();

    private TestClient durable(ClientId clientId) {
        return node.client(0, clientId.toString(), EXPIRY_SECONDS, 0);
    }

    /** Continues a session whose client does not want it to outlive the connection any more. */
    private TestClient continueTransiently(ClientId clientId) {
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        client.connect(clientId.toString(), false, 0, 0);
        node.settle();
        return client;
    }

    private static BitSet slotsInUse(Registrar of) {
        BitSet slots = new BitSet();
        of.addSlotsInUse(slots);
        return slots;
    }

    private static BitSet slots(ClientId... ids) {
        BitSet slots = new BitSet();
        for (ClientId id : ids) {
            slots.set(id.slot());
        }
        return slots;
    }

    private static BitSet allSlots() {
        BitSet slots = new BitSet();
        slots.set(0, ClientId.SLOTS);
        return slots;
    }

    /** Returns another client id that hashes to the slot of the first. */
    private static ClientId neighbour() {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> ClientId.of("n" + i))
                .filter(each -> each.slot() == ID.slot())
                .findFirst()
                .orElseThrow();
    }

    @Test
    void a_slot_is_in_use_from_the_first_claim_until_the_last_that_waits_is_settled() {
        assertThat(slotsInUse(registrar)).isEqualTo(slots());
        claim();
        claim();
        assertThat(slotsInUse(registrar)).isEqualTo(slots(ID));
        registrar.settled(ID, Holder.UNKNOWN);
        assertThat(slotsInUse(registrar)).isEqualTo(slots(ID));
        registrar.settled(ID, Holder.UNKNOWN);
        assertThat(slotsInUse(registrar)).isEqualTo(slots());
    }

    @Test
    void a_slot_is_in_use_while_a_session_that_outlives_its_connection_is_there() {
        TestClient client = durable(ID);
        assertThat(slotsInUse(ofNode)).isEqualTo(slots(ID));
        client.cut();
        node.settle();
        assertThat(slotsInUse(ofNode)).isEqualTo(slots(ID));
        node.tick(EXPIRY_SECONDS * 1_000 + 1);
        assertThat(slotsInUse(ofNode)).isEqualTo(slots());
        assertThat(ofNode.size()).isZero();
    }

    @Test
    void a_transient_session_does_not_use_its_slot() {
        TestClient client = node.client(0, ID.toString(), 0, 0);
        assertThat(ofNode.find(ID)).isNotNull();
        assertThat(slotsInUse(ofNode)).isEqualTo(slots());
        assertThat(ofNode.sessionsIn(allSlots())).isEmpty();
        client.cut();
        node.settle();
        assertThat(slotsInUse(ofNode)).isEqualTo(slots());
    }

    @Test
    void a_session_uses_its_slot_by_the_expiry_of_its_last_connection() {
        durable(ID).cut();
        TestClient client = continueTransiently(ID);
        assertThat(slotsInUse(ofNode)).isEqualTo(slots());
        assertThat(ofNode.sessionsIn(slots(ID))).isEmpty();
        TestClient again = durable(ID);
        assertThat(client.isClosed()).isTrue();
        assertThat(slotsInUse(ofNode)).isEqualTo(slots(ID));
        again.cut();
        node.client(0, ID.toString(), 0, 0);
        assertThat(slotsInUse(ofNode)).isEqualTo(slots());
    }

    @Test
    void a_slot_with_two_sessions_is_in_use_until_both_have_ended() {
        ClientId neighbour = neighbour();
        durable(ID);
        durable(neighbour);
        continueTransiently(ID);
        assertThat(slotsInUse(ofNode)).isEqualTo(slots(ID));
        continueTransiently(neighbour);
        assertThat(slotsInUse(ofNode)).isEqualTo(slots());
    }

    @Test
    void a_session_that_was_kept_uses_its_slot_when_a_start_takes_it_up() {
        durable(ID);
        Session kept = Objects.requireNonNull(ofNode.find(ID));
        registrar.recovered(kept);
        assertThat(slotsInUse(registrar)).isEqualTo(slots(ID));
        registrar.removed(kept);
        assertThat(slotsInUse(registrar)).isEqualTo(slots());
    }

    @Test
    void sessions_of_a_slot_are_those_that_hash_to_it_and_outlive_their_connections() {
        ClientId neighbour = neighbour();
        ClientId elsewhere = ClientId.of("elsewhere");
        durable(ID);
        durable(neighbour).cut();
        durable(elsewhere);
        node.client(0, "transient", 0, 0);
        assertThat(ofNode.sessionsIn(slots(ID)))
                .extracting(Session::clientId)
                .containsExactlyInAnyOrder(ID, neighbour);
        assertThat(ofNode.sessionsIn(slots(elsewhere)))
                .extracting(Session::clientId)
                .containsExactly(elsewhere);
        assertThat(ofNode.sessionsIn(slots(ClientId.of("transient")))).isEmpty();
    }
}
