package io.godwit.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LinesTest {
    private static final String NASTY = "id \"x\\y\"\n\u0000\u0085\t\ud800 grüße \ud83d\ude00";

    private final Logger logger = new LoggerContext().getLogger("io.godwit.server.Some");

    private LoggingEvent event(String message, @Nullable Throwable failure) {
        LoggingEvent event =
                new LoggingEvent(
                        "", logger, Level.WARN, "{} here", failure, new Object[] {message});
        event.setInstant(Instant.parse("2026-01-31T12:00:00.120456Z"));
        event.setThreadName("shard-1");
        return event;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    void a_text_line_has_time_level_thread_and_class() {
        assertThat(text(new TextLines().encode(event("all", null))))
                .isEqualTo("2026-01-31T12:00:00.120Z WARN  [shard-1] Some: all here\n");
    }

    @Test
    void no_message_can_forge_a_second_text_line() {
        assertThat(text(new TextLines().encode(event(NASTY, null))))
                .containsOnlyOnce("\n")
                .contains("\\u000a\\u0000\\u0085\t");
    }

    @Test
    void a_json_line_is_one_line_of_valid_json() throws Exception {
        byte[] line = new JsonLines("n1").encode(event(NASTY, new IllegalStateException("why")));

        assertThat(text(line)).containsOnlyOnce("\n").endsWith("}\n");
        JsonNode json = new ObjectMapper().readTree(line);
        assertThat(json.get("time").asText()).isEqualTo("2026-01-31T12:00:00.120Z");
        assertThat(json.get("level").asText()).isEqualTo("WARN");
        assertThat(json.get("node").asText()).isEqualTo("n1");
        assertThat(json.get("thread").asText()).isEqualTo("shard-1");
        assertThat(json.get("logger").asText()).isEqualTo("io.godwit.server.Some");
        assertThat(json.get("message").asText()).isEqualTo(NASTY + " here");
        assertThat(json.get("exception").asText()).contains("IllegalStateException: why");
    }
}
