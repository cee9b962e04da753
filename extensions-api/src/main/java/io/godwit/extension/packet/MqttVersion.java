package io.godwit.extension.packet;

/** The protocol versions of MQTT. */
public enum MqttVersion {
    V3_1,
    V3_1_1,
    V5
}
