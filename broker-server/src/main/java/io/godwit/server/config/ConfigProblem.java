package io.godwit.server.config;

import org.jspecify.annotations.Nullable;

/**
 * One mistake of the operator, as a sentence.
 *
 * @param where {@code file line 12}, {@code --set} or the environment variable's name
 * @param key dotted; empty when the mistake has none
 * @param value as it was written; null when it has none
 * @param text what is wrong or what is allowed
 */
public record ConfigProblem(String where, String key, @Nullable String value, String text) {

    @Override
    public String toString() {
        StringBuilder out = new StringBuilder(where).append(": ");
        if (!key.isEmpty()) out.append(key);
        if (value != null) out.append(" = ").append(value.isEmpty() ? "(empty)" : value);
        if (!key.isEmpty() || value != null) out.append(": ");
        return out.append(text).toString();
    }
}
