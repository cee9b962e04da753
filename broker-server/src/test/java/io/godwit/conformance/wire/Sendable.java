package io.godwit.conformance.wire;

/** Something that becomes the bytes of one packet, good or bad. */
public interface Sendable {
    byte[] bytes();
}
