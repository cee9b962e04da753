package io.godwit.core.auth.rules;

import io.godwit.core.auth.Subject;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Holds what the placeholders in topics stand for with one client. A value that is missing, empty
 * or holds {@code /}, {@code +} or {@code #} is unusable anywhere; one that begins with {@code $}
 * is at the beginning of a topic, where it would lead into another tree.
 */
final class PlaceholderValues {
    /** Stands for those of every client where no topic has a placeholder. */
    static final PlaceholderValues NONE = new PlaceholderValues(null, null);

    private final byte @Nullable [] clientId;
    private final byte @Nullable [] userName;

    private PlaceholderValues(byte @Nullable [] clientId, byte @Nullable [] userName) {
        this.clientId = usable(clientId);
        this.userName = usable(userName);
    }

    static PlaceholderValues of(Subject subject) {
        String user = subject.identity().userName();
        return new PlaceholderValues(
                subject.clientId().bytes(),
                user == null ? null : user.getBytes(StandardCharsets.UTF_8));
    }

    private static byte @Nullable [] usable(byte @Nullable [] value) {
        if (value == null || value.length == 0) {
            return null;
        }
        for (byte each : value) {
            if (each == '/' || each == '+' || each == '#') {
                return null;
            }
        }
        return value;
    }

    /** Returns the value; null: it is unusable. */
    byte @Nullable [] get(TopicLevel.Placeholder which) {
        return which == TopicLevel.Placeholder.CLIENT_ID ? clientId : userName;
    }
}
