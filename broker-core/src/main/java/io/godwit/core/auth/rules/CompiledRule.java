package io.godwit.core.auth.rules;

import io.godwit.extension.access.AccessRule;
import io.godwit.extension.access.AccessRule.Action;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A rule, as far as it is about topics, QoS, retained messages and shared subscriptions. */
final class CompiledRule {
    private static final int QOS_LEVELS = 3;

    private final boolean isDenied;
    private final Set<Action> actions;
    private final List<TopicPattern> topics;

    /** A bit for each QoS, and another three for retained messages. */
    private final int publishBits;

    private final int qosBits;
    private final Share share;
    private final @Nullable NamePattern shareName;

    private enum Share {
        NONE,
        BOTH,
        NAMED
    }

    /**
     * @param place from 0
     * @throws RuleMistake a value is not allowed
     */
    CompiledRule(AccessRule rule, int place) throws RuleMistake {
        isDenied = rule.effect() == AccessRule.Effect.DENY;
        actions = rule.actions();
        List<TopicPattern> patterns = new ArrayList<>(rule.topics().size());
        for (String each : rule.topics()) {
            try {
                patterns.add(TopicPattern.of(each));
            } catch (IllegalArgumentException bad) {
                throw RuleMistake.inRule(place, "topic", each, String.valueOf(bad.getMessage()));
            }
        }
        topics = List.copyOf(patterns);
        int bits = 0;
        for (int qos = 0; qos < QOS_LEVELS; qos++) {
            if (rule.qos().isEmpty() || rule.qos().contains(qos)) {
                bits |= 1 << qos;
            }
        }
        qosBits = bits;
        Boolean retain = rule.retain();
        publishBits =
                (retain == null || !retain ? bits : 0)
                        | (retain == null || retain ? bits << QOS_LEVELS : 0);
        String text = rule.share() == null ? "any" : rule.share();
        share =
                switch (text) {
                    case "none" -> Share.NONE;
                    case "any" -> Share.BOTH;
                    default -> Share.NAMED;
                };
        if (text.isEmpty() || text.indexOf('/') >= 0) {
            throw RuleMistake.inRule(
                    place, "share", text, "none, any, or the pattern of a ShareName is allowed");
        }
        shareName = share == Share.NAMED ? NamePattern.of(text) : null;
    }

    /** Returns the bit of a PUBLISH among those that rules are tested by. */
    static int publishBit(int qos, boolean retain) {
        return 1 << (retain ? qos + QOS_LEVELS : qos);
    }

    boolean isDenied() {
        return isDenied;
    }

    boolean isAbout(Action action) {
        return actions.contains(action);
    }

    /** Returns the patterns of topics; none: it is for every topic. */
    List<TopicPattern> topics() {
        return topics;
    }

    /** Whether it is about a PUBLISH of this QoS, retained or not. */
    boolean hasPublishBit(int bit) {
        return (publishBits & bit) != 0;
    }

    /** Returns the key of the first condition that a PUBLISH does not meet; null: it meets all. */
    @Nullable String unmetByPublish(
            byte[] topic, int qos, boolean retain, PlaceholderValues values) {
        if ((qosBits & 1 << qos) == 0) {
            return "qos";
        }
        if (!hasPublishBit(publishBit(qos, retain))) {
            return "retain";
        }
        return matches(topic, values) ? null : "topic";
    }

    /** Returns the key of the first condition that a subscription does not meet; null: none. */
    @Nullable String unmetBySubscription(WantedFilter wanted, PlaceholderValues values) {
        if ((qosBits & 1 << wanted.qos()) == 0) {
            return "qos";
        }
        if (!hasShareOf(wanted.shareName())) {
            return "share";
        }
        return matches(wanted.topics(), values) ? null : "topic";
    }

    /** Whether a rule that allows covers the filter, or one that denies overlaps it. */
    private boolean matches(byte[] filter, PlaceholderValues values) {
        if (topics.isEmpty()) {
            return true;
        }
        for (TopicPattern each : topics) {
            if (isDenied ? each.overlaps(filter, values) : each.covers(filter, values)) {
                return true;
            }
        }
        return false;
    }

    private boolean hasShareOf(@Nullable String name) {
        return switch (share) {
            case NONE -> name == null;
            case BOTH -> true;
            case NAMED -> name != null && shareName != null && shareName.matches(name, null);
        };
    }
}
