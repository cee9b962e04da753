package io.godwit.core.takeover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.id.Epoch;
import io.godwit.core.packet.ClientId;
import io.godwit.core.settings.Rules;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What a registrar decides about client ids whose sessions are not on its node. */
class RegistrarTest {
    private static final ClientId ID = ClientId.of("c");
    private static final Place HERE = new Place(1, 0);
    private static final Holder.Elsewhere THERE =
            new Holder.Elsewhere(new Place(2, 3), new Epoch(7, 2));

    private final List<String> decided = new ArrayList<>();
    private final List<Consumer<Holder>> asked = new ArrayList<>();
    private long lastToken;

    private final Grants grants =
            new Grants() {
                @Override
                public void grant(Claim claim) {
                    decided.add("grant " + claim.token().number());
                }

                @Override
                public void recall(Claim claim, Holder.Here holder) {
                    throw new AssertionError("no session is here");
                }

                @Override
                public void recall(Claim claim, Holder.Elsewhere holder) {
                    decided.add("recall " + holder.place() + " for " + claim.token().number());
                }
            };

    private final Registrar registrar =
            new Registrar(0, Rules.ALL, (clientId, answer) -> asked.add(answer), grants);

    private void claim() {
        registrar.claim(new Claim(ID, new Token(HERE, ++lastToken), false));
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
            asked.getFirst().accept(Holder.UNKNOWN);
            assertThat(decided).containsExactly("grant 1");
        }

        @Test
        void is_recalled_from_its_home_when_another_node_has_it() {
            claim();
            asked.getFirst().accept(THERE);
            assertThat(decided).containsExactly("recall " + THERE.place() + " for 1");
            assertThat(registrar.holder(ID)).isEqualTo(THERE);
        }

        @Test
        void is_answered_once() {
            claim();
            asked.getFirst().accept(Holder.UNKNOWN);
            assertThatThrownBy(() -> asked.getFirst().accept(Holder.UNKNOWN))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void claims_that_wait_begin_in_order_each_when_the_one_before_is_settled() {
        claim();
        claim();
        claim();
        asked.getFirst().accept(THERE);
        registrar.settled(ID, THERE);
        assertThat(decided)
                .containsExactly(
                        "recall " + THERE.place() + " for 1", "recall " + THERE.place() + " for 2");
        registrar.settled(ID, Holder.UNKNOWN);
        assertThat(asked).hasSize(2);
        asked.getLast().accept(Holder.UNKNOWN);
        assertThat(decided).hasSize(3).endsWith("grant 3");
        registrar.settled(ID, Holder.UNKNOWN);
        assertThat(registrar.size()).isZero();
    }

    @Test
    void a_client_id_of_another_node_stays_known() {
        claim();
        asked.getFirst().accept(THERE);
        registrar.settled(ID, THERE);
        claim();
        assertThat(asked).hasSize(1);
        assertThat(decided).hasSize(2);
        assertThat(registrar.size()).isEqualTo(1);
        assertThat(registrar.find(ID)).isNull();
    }
}
