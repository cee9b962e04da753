package io.godwit.cluster.takeover;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.takeover.TakeoverMessage.Header;
import io.godwit.cluster.takeover.TakeoverMessage.NotHere;
import io.godwit.cluster.takeover.TakeoverMessage.Take;
import io.godwit.cluster.takeover.TakeoverMessage.Whole;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a home gives, and to whom. */
class ResidentsTest {
    private static final ClientId ID = ClientId.of("c");
    private static final ClaimId Y = new ClaimId(new NodeStart(2, 1), 0, 1);
    private static final ClaimId Z = new ClaimId(new NodeStart(3, 1), 0, 1);
    private static final ClaimId OWN = new ClaimId(new NodeStart(1, 1), 0, 1);
    private static final byte[] HEADER = {1};

    /** What was asked of the sessions. */
    private final List<String> asked = new ArrayList<>();

    private final List<TakeoverMessage> said = new ArrayList<>();

    private long charged;

    private final LocalSessions sessions =
            new LocalSessions() {
                @Override
                public void make(ClientId clientId, ClaimId claim, long changes) {
                    asked.add("make " + changes);
                }

                @Override
                public void arrive(
                        ClientId clientId, ClaimId claim, long changes, int from, byte[] header) {
                    asked.add("arrive " + changes);
                }

                @Override
                public void takeBack(ClientId clientId, ClaimId claim, long given, long changes) {
                    asked.add("take back " + given + " as " + changes);
                }

                @Override
                public void outOfReach(ClientId clientId, ClaimId claim) {
                    asked.add("out of reach");
                }

                @Override
                public void offered(ClientId clientId, int from) {
                    asked.add("offered by " + from);
                }

                @Override
                public void giveUp(
                        ClientId clientId,
                        ClaimId claim,
                        long changes,
                        boolean cleanStart,
                        List<Former> former) {
                    asked.add("give up " + changes);
                }

                @Override
                public void giveAgain(ClientId clientId, long changes, ClaimId claim, long next) {
                    asked.add("give " + changes + " again as " + next);
                }

                @Override
                public void drop(ClientId clientId, long changes) {
                    asked.add("drop " + changes);
                }

                @Override
                public void dropped(ClientId clientId, Former former) {
                    asked.add("dropped " + former);
                }

                @Override
                public void lose(ClientId clientId) {
                    asked.add("lose");
                }
            };

    private Residents residents(Set<TakeoverRule> rules) {
        Residents residents =
                new Residents(
                        (slot, rank) -> rank == 0 ? 1 : Anchors.NOBODY,
                        sessions,
                        rules,
                        change -> charged += change,
                        (server, message) -> {
                            if (!(message instanceof TakeoverMessage.Stands)) {
                                said.add(message);
                            }
                        });
        residents.home(ID, 6, true);
        return residents;
    }

    private static Take take(ClaimId claim, long changes, long voidUpTo) {
        return new Take(ID, claim, changes, voidUpTo, false);
    }

    @Test
    void a_home_gives_its_session_to_a_higher_number_only() {
        Residents residents = residents(TakeoverRule.ALL);

        residents.take(take(Y, 6, 0));

        assertThat(asked).isEmpty();
        assertThat(said).containsExactly(new NotHere(ID, Y));
        assertThat(residents.standing(ID)).isEqualTo(new Standing.Home(6, true));
    }

    @Test
    void without_that_rule_an_old_grant_would_take_it() {
        Residents residents = residents(EnumSet.complementOf(EnumSet.of(TakeoverRule.NUMBERS)));

        residents.take(take(Y, 5, 0));

        assertThat(asked).containsExactly("give up 5");
    }

    @Test
    void what_was_given_is_given_again_to_the_same_claim_and_to_no_other() {
        Residents residents = residents(TakeoverRule.ALL);
        residents.take(take(Y, 7, 0));
        residents.gaveUp(ID, HEADER);

        residents.take(take(Y, 7, 0));
        residents.take(take(Z, 8, 6));

        assertThat(said)
                .containsExactly(
                        new Header(ID, Y, HEADER), new Header(ID, Y, HEADER), new NotHere(ID, Z));
        assertThat(residents.standing(ID)).isEqualTo(new Standing.Given(7, Y, true));
    }

    @Test
    void when_the_grant_has_come_to_nothing_another_gets_it_once_that_is_kept() {
        Residents residents = residents(TakeoverRule.ALL);
        residents.take(take(Y, 7, 0));
        residents.gaveUp(ID, HEADER);
        said.clear();

        residents.take(take(Z, 8, 7));

        assertThat(asked).containsExactly("give up 7", "give 7 again as 8");
        assertThat(said).isEmpty();
        residents.gaveAgain(ID);
        assertThat(said).containsExactly(new Header(ID, Z, HEADER));
        assertThat(residents.standing(ID)).isEqualTo(new Standing.Given(8, Z, true));
    }

    /** A claim of this node would be granted, refused and granted again without an end. */
    @Test
    void who_wants_it_while_that_is_being_kept_is_answered_when_it_is() {
        Residents residents = residents(TakeoverRule.ALL);
        residents.take(take(Y, 7, 0));
        residents.gaveUp(ID, HEADER);
        residents.take(take(Z, 8, 7));
        said.clear();

        residents.take(take(OWN, 9, 7));
        assertThat(said).isEmpty();
        residents.gaveAgain(ID);

        assertThat(said).containsExactly(new Header(ID, Z, HEADER), new NotHere(ID, OWN));
    }

    /** Two of them in turn would be granted, refused and granted again as fast as links are. */
    @Test
    void whoever_wants_it_while_it_stops_is_answered_when_it_has() {
        Residents residents = residents(TakeoverRule.ALL);
        residents.take(take(Y, 7, 0));

        residents.take(take(Z, 8, 0));
        residents.take(take(OWN, 9, 0));
        residents.take(take(Z, 8, 0));
        assertThat(said).isEmpty();
        residents.gaveUp(ID, HEADER);

        assertThat(said)
                .containsExactly(
                        new Header(ID, Y, HEADER), new NotHere(ID, OWN), new NotHere(ID, Z));
    }

    @Test
    void what_can_not_go_stays_and_whoever_has_taken_it_is_to_be_refused() {
        Residents residents = residents(TakeoverRule.ALL);
        residents.take(take(Y, 7, 0));
        residents.take(take(Z, 8, 0));

        assertThat(residents.stays(ID)).containsExactly(Y, Z);
        assertThat(residents.standing(ID)).isEqualTo(new Standing.Home(6, true));
        residents.take(take(Z, 9, 0));
        assertThat(asked).containsExactly("give up 7", "give up 9");
    }

    @Test
    void what_was_given_goes_when_the_new_home_has_all_of_that_grant() {
        Residents residents = residents(TakeoverRule.ALL);
        residents.take(take(Y, 7, 0));
        residents.gaveUp(ID, HEADER);

        residents.onWhole(2, new Whole(ID, 6));
        assertThat(residents.standing(ID)).isEqualTo(new Standing.Given(7, Y, true));
        residents.onWhole(2, new Whole(ID, 7));

        assertThat(asked).endsWith("drop 7");
        assertThat(residents.standing(ID)).isEqualTo(Standing.NOTHING);
    }

    @Test
    void former_homes_are_told_the_oldest_first_and_the_last_when_all_is_here() {
        Residents residents = residents(TakeoverRule.ALL);
        residents.formerHomes().put(ID, List.of(new Former(4, 3), new Former(5, 6)), true);
        assertThat(said).containsExactly(new Whole(ID, 3));

        residents.dropped(4, new TakeoverMessage.Dropped(ID, 3));
        assertThat(said).hasSize(1);
        residents.formerHomes().whole(ID, 6);

        assertThat(said).containsExactly(new Whole(ID, 3), new Whole(ID, 6));
    }

    @Test
    void those_of_a_session_that_has_ended_are_told_also_when_another_has_come() {
        Residents residents = residents(TakeoverRule.ALL);
        residents.formerHomes().put(ID, List.of(new Former(4, 6)), true);
        residents.ended(ID);
        residents.home(ID, 9, true);
        residents.formerHomes().put(ID, List.of(new Former(5, 9)), false);
        residents.dropped(5, new TakeoverMessage.Dropped(ID, 9));
        said.clear();

        residents.formerHomes().linked(4);

        assertThat(said).containsExactly(new Whole(ID, 6));
        assertThat(residents.formerHomes().of(ID)).as("what goes on with it").isEmpty();
        residents.take(take(Y, 10, 0));
        residents.gaveUp(ID, HEADER);
        residents.onWhole(2, new Whole(ID, 10));
        assertThat(residents.standing(ID)).isEqualTo(new Standing.Ended(6));
        residents.dropped(4, new TakeoverMessage.Dropped(ID, 6));
        assertThat(residents.standing(ID)).isEqualTo(Standing.NOTHING);
    }

    @Test
    void what_was_never_here_of_a_session_that_was_set_aside_stays_where_it_is() {
        Residents residents = residents(TakeoverRule.ALL);
        residents.formerHomes().put(ID, List.of(new Former(4, 6)), true);
        residents.lose(ID, 6);
        residents.formerHomes().linked(4);
        assertThat(said).isEmpty();
        assertThat(residents.standing(ID)).isEqualTo(new Standing.Ended(6));
    }

    @Test
    void a_session_is_charged_with_its_header_while_that_is_kept() {
        Residents residents = residents(TakeoverRule.ALL);
        long one = charged;
        assertThat(one).isPositive();

        residents.take(take(Y, 7, 0));
        residents.gaveUp(ID, new byte[1_000]);
        assertThat(charged).isEqualTo(one + 1_000);
        residents.tookBack(ID, 8);
        assertThat(charged).isEqualTo(one);

        residents.take(take(Y, 9, 0));
        residents.gaveUp(ID, new byte[1_000]);
        residents.given(ID, 5, Z, new byte[500]);
        residents.home(ID, 10, true);
        assertThat(charged).isEqualTo(3 * one + 1_500);
        residents.ended(ID);
        assertThat(charged).isEqualTo(2 * one + 1_500);
        residents.onWhole(2, new Whole(ID, 9));
        residents.onWhole(3, new Whole(ID, 5));
        assertThat(charged).isZero();
    }
}
