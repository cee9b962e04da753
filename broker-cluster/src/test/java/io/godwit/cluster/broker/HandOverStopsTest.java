package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.broker.HandOverRun.Fate;
import io.godwit.cluster.broker.HandOverRun.Stop;
import io.godwit.cluster.broker.HandOverRun.Victim;
import io.godwit.cluster.broker.HandOverRun.Way;
import io.godwit.cluster.broker.HandOverSteps.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Stops each node that has a part in it, before and after each step in which a group hands a QoS 2
 * message over to a durable member: some member gets it, once, and nothing is left.
 */
@Tag("alone")
class HandOverStopsTest {
    private static final long SEED = 1;

    private static final List<Step> STEPS =
            List.of(
                    Step.MARKED,
                    Step.APPENDED,
                    Step.REMOVED,
                    Step.PUBLISH,
                    Step.FORGOTTEN,
                    Step.PUBREC,
                    Step.PUBREL,
                    Step.PUBCOMP);

    private static final List<Step> QUESTIONS =
            List.of(Step.QUESTION, Step.ASKED, Step.ANSWER, Step.ANSWERED);

    /** Steps at which the first leader has marked the entry, and has not removed it yet. */
    private static final List<Step> MARKED = List.of(Step.APPENDED, Step.REMOVED);

    /** Runs whose steps others are stopped at: they are the same until then. */
    private static final Map<List<Object>, HandOverSteps> EARLIER = new HashMap<>();

    /** Returns when the steps are, if no node is stopped beside those. */
    private static HandOverSteps steps(Way way, Stop... stops) {
        List<Object> run = new ArrayList<>(List.of(way));
        run.addAll(List.of(stops));
        return EARLIER.computeIfAbsent(run, any -> HandOverRun.of(SEED, way, List.of(stops)).steps);
    }

    @ParameterizedTest
    @EnumSource(
            value = Way.class,
            names = {"WAITING", "STRAIGHT"})
    void message_goes_through_all_steps_when_no_node_is_stopped(Way way) {
        HandOverSteps steps = steps(way);
        assertThat(STEPS).allMatch(steps::has);
        assertThat(steps.at(Step.MARKED)).isLessThan(steps.at(Step.APPENDED));
        assertThat(steps.at(Step.APPENDED)).isLessThan(steps.at(Step.REMOVED));
        assertThat(steps.at(Step.REMOVED)).isLessThan(steps.at(Step.FORGOTTEN));
        assertThat(steps.at(Step.APPENDED)).isLessThan(steps.at(Step.PUBLISH));
    }

    static Stream<Arguments> first() {
        List<Arguments> all = new ArrayList<>();
        for (Way way : List.of(Way.WAITING, Way.STRAIGHT)) {
            for (Step step : STEPS) {
                for (boolean isBefore : new boolean[] {true, false}) {
                    for (Victim victim : List.of(Victim.LEADER, Victim.EDGE)) {
                        for (Fate fate : Fate.values()) {
                            all.add(Arguments.of(way, step, isBefore, victim, fate));
                        }
                    }
                }
            }
        }
        return all.stream();
    }

    /** The leader of the group's queue leads the session, too: both hear of a mark only there. */
    @ParameterizedTest(name = "{0}, {1}, before: {2}: {3} {4}")
    @MethodSource("first")
    void message_comes_once_when_a_node_is_stopped_in_the_middle(
            Way way, Step step, boolean isBefore, Victim victim, Fate fate) {
        long at = steps(way).at(step) - (isBefore ? 1 : 0);
        HandOverRun run = HandOverRun.of(SEED, way, List.of(new Stop(at, victim, fate)));
        assertThat(run.stopped()).isEqualTo(1);
    }

    static Stream<Arguments> passedOn() {
        List<Arguments> all = new ArrayList<>();
        for (Step step : List.of(Step.MARKED, Step.REMOVED, Step.PUBLISH, Step.PUBREL)) {
            for (boolean isBefore : new boolean[] {true, false}) {
                for (Victim victim : List.of(Victim.LEADER, Victim.SESSION)) {
                    for (Fate fate : Fate.values()) {
                        all.add(Arguments.of(step, isBefore, victim, fate));
                    }
                }
            }
        }
        return all.stream();
    }

    /** The node that leads the session of the other member hands the message over to it. */
    @ParameterizedTest(name = "{0}, before: {1}: {2} {3}")
    @MethodSource("passedOn")
    void message_comes_once_when_a_node_is_stopped_while_it_is_passed_on(
            Step step, boolean isBefore, Victim victim, Fate fate) {
        long at = steps(Way.PASSED_ON).at(step);
        Stop stop = new Stop(at - (isBefore ? 1 : 0), victim, fate);
        HandOverRun run = HandOverRun.of(SEED, Way.PASSED_ON, List.of(stop));
        assertThat(run.stopped()).isEqualTo(1);
    }

    static Stream<Arguments> second() {
        List<Arguments> all = new ArrayList<>();
        for (Step step : MARKED) {
            for (Step question : QUESTIONS) {
                for (Victim victim : List.of(Victim.GROUP, Victim.SESSION, Victim.EDGE)) {
                    for (Fate first :
                            List.of(Fate.RETURNS_WHEN_OTHERS_HAVE_TAKEN_OVER, Fate.IS_LOST)) {
                        for (Fate fate :
                                List.of(
                                        Fate.RETURNS_AT_ONCE,
                                        Fate.RETURNS_WHEN_OTHERS_HAVE_TAKEN_OVER)) {
                            all.add(Arguments.of(step, question, victim, first, fate));
                        }
                    }
                }
            }
        }
        return all.stream();
    }

    /** The new leader of the group's queue asks that of the session which of them has it. */
    @ParameterizedTest(name = "before {0}: LEADER {3}, {1}: {2} {4}")
    @MethodSource("second")
    void message_comes_once_when_a_node_is_stopped_in_the_middle_of_a_question(
            Step step, Step question, Victim victim, Fate first, Fate fate) {
        long at = steps(Way.WAITING).at(step) - 1;
        Stop leader = new Stop(at, Victim.LEADER, first);
        long then = steps(Way.WAITING, leader).at(question);
        HandOverRun run =
                HandOverRun.of(SEED, Way.WAITING, List.of(leader, new Stop(then, victim, fate)));
        assertThat(run.stopped()).isEqualTo(2);
    }
}
