package io.godwit.core.auth.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A node of the trie of topic patterns: the levels so far, and the rules that end here. Its depth
 * is that of the deepest pattern, so a look-up may call itself.
 */
final class RuleNode {
    private @Nullable LevelTable children;
    private @Nullable RuleNode plus;
    private List<PlaceholderChild> placeholders = List.of();

    /** Rules whose pattern ends here. */
    private @Nullable Candidates here;

    /** Rules whose pattern ends with a number sign below this node. */
    private @Nullable Candidates hash;

    /** The first of all rules at this node and below it. */
    private int lowest = Candidates.NONE;

    /**
     * A level with placeholders.
     *
     * @param denied rules that deny, of all patterns that begin so: they match everything where a
     *     placeholder has no usable value
     */
    private record PlaceholderChild(TopicLevel level, RuleNode node, Candidates denied) {}

    /**
     * A look-up.
     *
     * @param topic a topic, or a filter without {@code $share}
     * @param test that a rule has to pass; for a filter it looks at the topics of the rule itself
     */
    record Lookup(byte[] topic, int[] whos, IntPredicate test, PlaceholderValues values) {}

    /**
     * Adds a pattern.
     *
     * @return how many levels with placeholders are new
     */
    int add(TopicLevel[] levels, int at, int rule, int who, boolean isDenied) {
        if (at == levels.length) {
            if (here == null) here = new Candidates();
            here.add(rule, who);
            return 0;
        }
        TopicLevel level = levels[at];
        if (level == TopicLevel.HASH) {
            if (hash == null) hash = new Candidates();
            hash.add(rule, who);
            return 0;
        }
        byte[] literal = level.literal();
        if (level == TopicLevel.PLUS) {
            if (plus == null) plus = new RuleNode();
            return plus.add(levels, at + 1, rule, who, isDenied);
        } else if (literal != null) {
            if (children == null) children = new LevelTable();
            return children.getOrAdd(literal).add(levels, at + 1, rule, who, isDenied);
        }
        int before = placeholders.size();
        PlaceholderChild child = placeholder(level);
        if (isDenied) child.denied.add(rule, who);
        int isNew = placeholders.size() - before;
        return isNew + child.node.add(levels, at + 1, rule, who, isDenied);
    }

    private PlaceholderChild placeholder(TopicLevel level) {
        for (PlaceholderChild each : placeholders) {
            if (each.level.text().equals(level.text())) {
                return each;
            }
        }
        PlaceholderChild added = new PlaceholderChild(level, new RuleNode(), new Candidates());
        if (placeholders.isEmpty()) placeholders = new ArrayList<>(1);
        placeholders.add(added);
        return added;
    }

    /** Ends the making of the trie below, and returns the first rule there. */
    int seal() {
        if (here != null) lowest = Math.min(lowest, here.seal());
        if (hash != null) lowest = Math.min(lowest, hash.seal());
        if (plus != null) lowest = Math.min(lowest, plus.seal());
        if (children != null) {
            for (RuleNode each : children.nodes()) {
                if (each != null) lowest = Math.min(lowest, each.seal());
            }
        }
        for (PlaceholderChild each : placeholders) {
            each.denied.seal();
            lowest = Math.min(lowest, each.node.seal());
        }
        return lowest;
    }

    /**
     * Finds the first rule whose pattern matches a topic, or overlaps a filter.
     *
     * @param from where the topic's next level begins; behind its end: there is none
     * @param below only rules before that one are looked for
     * @return {@code below}: there is none
     */
    int lowest(Lookup lookup, int from, int below) {
        if (lowest >= below) {
            return below;
        }
        byte[] topic = lookup.topic;
        boolean isFirst = from == 0;
        boolean isDollar = isFirst && topic[0] == '$';
        int best = isDollar ? below : best(hash, lookup, below);
        if (from > topic.length) {
            return best(here, lookup, atPlaceholders(lookup, from, from, best));
        }
        int to = TopicPattern.end(topic, from);
        if (TopicPattern.isWildcard(topic, from, to, '#')) {
            return lowestBelow(lookup, best);
        }
        best = atPlaceholders(lookup, from, to, best);
        if (plus != null && !isDollar) {
            best = plus.lowest(lookup, to + 1, best);
        }
        if (children == null) {
            return best;
        }
        if (TopicPattern.isWildcard(topic, from, to, '+')) {
            for (RuleNode each : children.nodes()) {
                if (each != null) best = each.lowest(lookup, to + 1, best);
            }
            return best;
        }
        RuleNode literal = children.get(topic, from, to);
        return literal == null ? best : literal.lowest(lookup, to + 1, best);
    }

    private int atPlaceholders(Lookup lookup, int from, int to, int below) {
        byte[] topic = lookup.topic;
        int best = below;
        for (int i = 0; i < placeholders.size(); i++) {
            PlaceholderChild each = placeholders.get(i);
            if (each.level.isUnusable(lookup.values, from == 0)) {
                best = best(each.denied, lookup, best);
            } else if (from <= topic.length
                    && (each.level.matches(topic, from, to, lookup.values)
                            || TopicPattern.isWildcard(topic, from, to, '+'))) {
                best = each.node.lowest(lookup, to + 1, best);
            }
        }
        return best;
    }

    /** Finds the first rule at this node and below it that passes the test. */
    private int lowestBelow(Lookup lookup, int below) {
        if (lowest >= below) {
            return below;
        }
        int best = best(hash, lookup, best(here, lookup, below));
        if (plus != null) {
            best = plus.lowestBelow(lookup, best);
        }
        if (children != null) {
            for (RuleNode each : children.nodes()) {
                if (each != null) best = each.lowestBelow(lookup, best);
            }
        }
        for (PlaceholderChild each : placeholders) {
            best = each.node.lowestBelow(lookup, best);
        }
        return best;
    }

    private static int best(@Nullable Candidates candidates, Lookup lookup, int below) {
        return candidates == null ? below : candidates.lowest(lookup.whos, lookup.test, below);
    }
}
