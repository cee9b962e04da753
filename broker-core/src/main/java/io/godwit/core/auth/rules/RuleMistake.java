package io.godwit.core.auth.rules;

import org.jspecify.annotations.Nullable;

/** A list of rules that cannot be used. Its message says what is allowed. */
public final class RuleMistake extends Exception {
    private static final long serialVersionUID = 1L;

    private final int rule;
    private final @Nullable String group;
    private final String key;
    private final @Nullable String value;

    private RuleMistake(
            int rule, @Nullable String group, String key, @Nullable String value, String text) {
        super(text);
        this.rule = rule;
        this.group = group;
        this.key = key;
        this.value = value;
    }

    static RuleMistake inRule(int rule, String key, @Nullable String value, String text) {
        return new RuleMistake(rule, null, key, value, text);
    }

    static RuleMistake inGroup(String group, @Nullable String value, String text) {
        return new RuleMistake(-1, group, "groups", value, text);
    }

    /** Returns the rule's place in the list, from 0; -1: it is in a group. */
    public int rule() {
        return rule;
    }

    /** Returns the name of the group that it is in; null: in none. */
    public @Nullable String group() {
        return group;
    }

    /** Returns the key of the condition, as a file of rules has it. */
    public String key() {
        return key;
    }

    /** Returns the value that is wrong; null: it is not about a single one. */
    public @Nullable String value() {
        return value;
    }
}
