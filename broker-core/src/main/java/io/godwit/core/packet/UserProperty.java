package io.godwit.core.packet;

/** A name-value pair of a User Property (MQTT 5.0, 1.5.7). */
public record UserProperty(String name, String value) {}
