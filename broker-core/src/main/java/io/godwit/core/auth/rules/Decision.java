package io.godwit.core.auth.rules;

import java.util.List;

/**
 * Tells what a list decides, and why.
 *
 * @param rule place of the rule that decides, from 0; -1: no rule does
 * @param unmet why each rule before that one did not, or why none did: the key of a condition that
 *     was not met, {@code action} where the rule is about something else
 * @param isConnectFree whether connecting was allowed because no rule of the list is about it
 */
public record Decision(boolean isAllowed, int rule, List<String> unmet, boolean isConnectFree) {
    public Decision {
        unmet = List.copyOf(unmet);
    }
}
