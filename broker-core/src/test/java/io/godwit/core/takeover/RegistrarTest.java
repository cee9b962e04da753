package io.godwit.core.takeover;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.ClientId;
import io.godwit.core.session.Session;
import io.godwit.core.settings.Rules;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a registrar decides about client ids that have no session. */
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
        registrar.claim(new Claim(ID, new Token(0, ++lastToken), false));
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
}
