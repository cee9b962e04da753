package io.godwit.core.auth.rules;

import java.util.function.IntPredicate;

/** The rules about one action, by their topics. */
final class RuleTree {
    /** Rules for every topic, those that begin with {@code $}, too. */
    private final Candidates anywhere = new Candidates();

    private final RuleNode root = new RuleNode();

    /**
     * Adds a rule; {@link #seal} comes last.
     *
     * @return how many levels with placeholders are new
     */
    int add(CompiledRule rule, int place, int who) {
        if (rule.topics().isEmpty()) {
            anywhere.add(place, who);
        }
        int placeholders = 0;
        for (TopicPattern each : rule.topics()) {
            placeholders += root.add(each.levels(), 0, place, who, rule.isDenied());
        }
        return placeholders;
    }

    void seal() {
        anywhere.seal();
        root.seal();
    }

    /**
     * Finds the first rule whose topics match a topic, or overlap a filter.
     *
     * @param topic a topic, or a filter without {@code $share}
     * @param test that a rule has to pass; for a filter it looks at the topics of the rule itself
     * @return {@link Candidates#NONE}: there is none
     */
    int lowest(byte[] topic, int[] whos, IntPredicate test, PlaceholderValues values) {
        int best = anywhere.lowest(whos, test, Candidates.NONE);
        return topic.length == 0
                ? best
                : root.lowest(new RuleNode.Lookup(topic, whos, test, values), 0, best);
    }
}
