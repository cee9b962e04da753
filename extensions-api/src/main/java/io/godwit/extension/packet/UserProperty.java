package io.godwit.extension.packet;

/**
 * A User Property (MQTT 5.0, 1.5.7).
 *
 * @param name up to 65 535 bytes of UTF-8
 * @param value up to 65 535 bytes of UTF-8
 */
public record UserProperty(String name, String value) {}
