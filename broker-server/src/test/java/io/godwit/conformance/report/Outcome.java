package io.godwit.conformance.report;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How one test ended.
 *
 * @param name class and method, such as {@code v5.PingConformance.a_ping_is_answered}
 * @param statements as {@code 5.0:MQTT-3.12.4-1}
 * @param failure null when it passed
 */
public record Outcome(String name, List<String> statements, @Nullable Throwable failure) {
    public boolean passed() {
        return failure == null;
    }
}
