package io.godwit.core.takeover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.packet.ClientId;
import io.godwit.core.settings.Rules;
import io.godwit.core.store.SessionMoves;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What a registrar decides about client ids whose sessions are not on its node. */
class RegistrarTest {
    private static final ClientId ID = ClientId.of("c");
    private static final Place HERE = new Place(1, 0);

    private final List<String> decided = new ArrayList<>();
    private final List<Token> asked = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private long lastToken;

    private final Grants grants =
            new Grants() {
                @Override
                public void grant(Claim claim, long changes) {
                    decided.add("grant " + claim.token().number() + " for " + changes);
                }

                @Override
                public void refuse(Claim claim) {
                    decided.add("refuse " + claim.token().number());
                }

                @Override
                public void recall(Claim claim, Holder.Here holder) {
                    throw new AssertionError("no session is here");
                }

                @Override
                public void withdrawn(Claim claim) {
                    decided.add("withdrawn " + claim.token().number());
                }

                @Override
                public void nothing(Claim claim) {
                    decided.add("nothing for " + claim.token().number());
                }
            };

    /** Notes what is claimed, and the names of everything else that is told. */
    private final Homes homes =
            (Homes)
                    Proxy.newProxyInstance(
                            Homes.class.getClassLoader(),
                            new Class<?>[] {Homes.class},
                            (proxy, method, args) -> {
                                if (args[0] instanceof Claim claim) {
                                    asked.add(claim.token());
                                } else {
                                    told.add(method.getName());
                                }
                                return null;
                            });

    private final Registrar registrar = new Registrar(0, Rules.ALL, homes, grants);

    private void claim() {
        registrar.claim(new Claim(ID, new Token(HERE, ++lastToken), false, true));
    }

    private void claimFromElsewhere() {
        registrar.claim(Claim.of(ID, false, new SessionMoves.Given(2, 1, 3, 70, 5)));
    }

    @Test
    void a_claim_that_waits_is_not_carried_out_when_its_connection_has_ended() {
        claim();
        claim();
        claim();
        registrar.withdraw(ID, new Token(HERE, 2));
        assertThat(decided).containsExactly("withdrawn 2");
        registrar.nobody(ID, asked.getFirst(), 1);
        registrar.settled(ID, Holder.UNKNOWN);
        assertThat(asked).containsExactly(new Token(HERE, 1), new Token(HERE, 3));
    }

    @Test
    void a_claim_that_is_under_way_goes_on_when_its_connection_has_ended() {
        claim();
        registrar.withdraw(ID, asked.getFirst());
        registrar.withdraw(ClientId.of("another"), asked.getFirst());
        registrar.nobody(ID, asked.getFirst(), 1);
        assertThat(decided).containsExactly("grant 1 for 1");
    }

    @Nested
    class A_client_id_that_it_does_not_know {
        @Test
        void is_asked_for_and_nothing_is_granted_before_the_answer() {
            claim();
            claim();
            assertThat(asked).hasSize(1);
            assertThat(decided).isEmpty();
            assertThat(registrar.holder(ID)).isInstanceOf(Holder.Asking.class);
        }

        @Test
        void is_granted_when_nobody_has_it_and_once_only() {
            claim();
            claim();
            registrar.nobody(ID, asked.getFirst(), 4);
            assertThat(decided).containsExactly("grant 1 for 4");
        }

        @Test
        void is_refused_when_its_home_is_out_of_reach_and_asked_for_again() {
            claim();
            claim();
            registrar.outOfReach(ID, asked.getFirst());
            assertThat(decided).containsExactly("refuse 1");
            registrar.settled(ID, Holder.UNKNOWN);
            assertThat(asked).hasSize(2);
            assertThat(told).isEmpty();
        }

        @Test
        void is_answered_once() {
            claim();
            registrar.nobody(ID, asked.getFirst(), 1);
            assertThatThrownBy(() -> registrar.nobody(ID, asked.getFirst(), 1))
                    .isInstanceOf(IllegalStateException.class);
        }

        @Test
        void is_not_here_for_another_node() {
            claimFromElsewhere();
            assertThat(decided).containsExactly("nothing for 70");
            assertThat(registrar.size()).isZero();
        }
    }

    @Test
    void claims_that_wait_begin_in_order_each_when_the_one_before_is_settled() {
        claim();
        claimFromElsewhere();
        claim();
        registrar.nobody(ID, asked.getFirst(), 1);
        registrar.settled(ID, Holder.UNKNOWN);
        assertThat(decided).containsExactly("grant 1 for 1", "nothing for 70");
        assertThat(told).containsExactly("settled");
        assertThat(asked).hasSize(2);
        registrar.nobody(ID, asked.getLast(), 2);
        assertThat(decided).endsWith("grant 2 for 2");
        registrar.settled(ID, Holder.UNKNOWN);
        assertThat(registrar.size()).isZero();
    }
}
