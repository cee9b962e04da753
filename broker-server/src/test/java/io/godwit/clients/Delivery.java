package io.godwit.clients;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** An application message as a client sends or gets it; equal when all of it is. */
record Delivery(String topic, byte[] payload, int qos, boolean retain) {
    static Delivery of(String topic, String payload, int qos) {
        return new Delivery(topic, payload.getBytes(StandardCharsets.UTF_8), qos, false);
    }

    Delivery retained() {
        return new Delivery(topic, payload, qos, true);
    }

    Delivery withQos(int other) {
        return new Delivery(topic, payload, other, retain);
    }

    String text() {
        return new String(payload, StandardCharsets.UTF_8);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Delivery d
                && topic.equals(d.topic)
                && qos == d.qos
                && retain == d.retain
                && Arrays.equals(payload, d.payload);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(payload) * 31 + topic.hashCode();
    }

    @Override
    public String toString() {
        String what = payload.length > 60 ? payload.length + " bytes" : "'" + text() + "'";
        return topic + " qos" + qos + (retain ? " retained " : " ") + what;
    }
}
