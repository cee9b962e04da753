package io.godwit.chaos;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * What a run does.
 *
 * @param longestMs of a round; each has a length of its own
 * @param perSecond messages that each publisher sends at most
 * @param endings chooses how a round ends
 * @param folder the data stands in {@code data} below; it stays
 * @param settings of the broker, each {@code key=value}
 */
record Plan(
        long seed,
        int rounds,
        int longestMs,
        int perSecond,
        Function<SplittableRandom, Endings.Ending> endings,
        Path folder,
        List<String> settings,
        Map<String, String> environment) {}
