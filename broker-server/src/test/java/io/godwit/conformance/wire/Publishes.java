package io.godwit.conformance.wire;

import java.util.Map;

/** PUBLISH packets that have come, by their payloads. */
public record Publishes(Map<String, Frame.Publish> byPayload) {
    /** The one with this payload; that there is none fails the test. */
    public Frame.Publish get(String payload) {
        Frame.Publish found = byPayload.get(payload);
        if (found == null) {
            throw new AssertionError("no " + payload + " among " + byPayload.keySet());
        }
        return found;
    }
}
