package io.godwit.chaos;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BiFunction;

/**
 * What a run does.
 *
 * @param longestMs of a round; each has a length of its own
 * @param perSecond messages that each publisher sends at most
 * @param bulkPerSecond large messages, so that the store has much to write; 0 for none
 * @param endings chooses how a round ends, the first is 1
 * @param folder the data stands in {@code data} below; it stays
 * @param settings of the broker, each {@code key=value}
 */
record Plan(
        long seed,
        int rounds,
        int longestMs,
        int perSecond,
        int bulkPerSecond,
        BiFunction<Integer, SplittableRandom, Endings.Ending> endings,
        Path folder,
        List<String> settings,
        Map<String, String> environment) {
    /** Kills mostly. */
    static Plan kills(long seed, int rounds, int longestMs, Path folder) {
        return new Plan(
                seed,
                rounds,
                longestMs,
                60,
                0,
                (round, random) -> Endings.any(random),
                folder,
                List.of(),
                Map.of());
    }

    Plan load(int small, int bulk) {
        return new Plan(
                seed, rounds, longestMs, small, bulk, endings, folder, settings, environment);
    }

    Plan ending(BiFunction<Integer, SplittableRandom, Endings.Ending> chooser) {
        return new Plan(
                seed,
                rounds,
                longestMs,
                perSecond,
                bulkPerSecond,
                chooser,
                folder,
                settings,
                environment);
    }

    Plan with(List<String> sets, Map<String, String> variables) {
        return new Plan(
                seed,
                rounds,
                longestMs,
                perSecond,
                bulkPerSecond,
                endings,
                folder,
                sets,
                variables);
    }
}
