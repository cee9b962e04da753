package io.godwit.server.store;

import io.godwit.persistence.inspect.Queues;
import io.godwit.persistence.inspect.StoreSummary;
import java.time.Duration;
import java.time.Instant;

/** Lines of {@code key=value}, for people and for awk. */
final class Texts {
    private static final long NEVER = 0xFFFF_FFFFL;

    private Texts() {}

    static String session(StoreSummary.SessionLine line, long nowMs) {
        long expiry = line.session().expirySeconds();
        long offline = line.session().disconnectedAtMs();
        return "client="
                + quoted(line.clientId().toString())
                + " queue="
                + Queues.text(line.session().queueId())
                + " version="
                + line.session().version()
                + " expiry="
                + (expiry == NEVER ? "never" : expiry + "s")
                + " offline-since="
                + (offline == 0 ? "unknown" : Instant.ofEpochMilli(offline))
                + " subscriptions="
                + line.subscriptions()
                + " inbound-qos2="
                + line.inbound()
                + (line.session().will() == null ? "" : " will=yes")
                + (line.session().isAside() ? " set-aside=yes" : "")
                + copyOf(line.copyOf())
                + waiting(line.waiting(), nowMs);
    }

    /** Names the leader of a copy; nothing of a queue of this node's own. */
    static String copyOf(int leader) {
        return leader == 0 ? "" : " copy-of=" + leader;
    }

    static String waiting(StoreSummary.Waiting waiting, long nowMs) {
        return " messages="
                + waiting.messages()
                + " bytes="
                + waiting.bytes()
                + " in-flight="
                + waiting.inFlight()
                + (waiting.oldestMs() == 0
                        ? ""
                        : " oldest="
                                + Duration.ofMillis(Math.max(0, nowMs - waiting.oldestMs()))
                                        .toSeconds()
                                + "s");
    }

    /** In quotes, with what would end the line or the quotes escaped. */
    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || c == 0x7F) {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
