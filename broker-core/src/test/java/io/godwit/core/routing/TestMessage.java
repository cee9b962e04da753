package io.godwit.core.routing;

import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Messages for tests of routing and of groups. */
public final class TestMessage {
    private static final byte[] NO_PROPERTIES = new byte[0];

    private TestMessage() {}

    static Message retained(String topic, String payload) {
        return retained(topic, payload, Message.NEVER);
    }

    static Message retained(String topic, String payload, long expiresAtMs) {
        return of(topic, payload, 1, expiresAtMs, null);
    }

    public static Message of(
            String topic, String payload, int qos, long expiresAtMs, @Nullable ClientId publisher) {
        return of(topic, payload, qos, expiresAtMs, publisher, 1);
    }

    public static Message of(
            String topic,
            String payload,
            int qos,
            long expiresAtMs,
            @Nullable ClientId publisher,
            long ingressCounter) {
        return new Message(
                Topic.of(topic),
                payload.getBytes(StandardCharsets.UTF_8),
                NO_PROPERTIES,
                qos,
                true,
                expiresAtMs,
                publisher,
                1,
                ingressCounter);
    }

    public static String text(Message message) {
        return new String(message.payload, StandardCharsets.UTF_8);
    }
}
