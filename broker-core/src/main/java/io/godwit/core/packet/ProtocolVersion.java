package io.godwit.core.packet;

/** The protocol versions that the broker speaks. */
public enum ProtocolVersion {
    MQTT_3_1("MQIsdp", 3, "mqtt31"),
    MQTT_3_1_1("MQTT", 4, "mqtt311"),
    MQTT_5("MQTT", 5, "mqtt5");

    private final String protocolName;
    private final int level;
    private final String tag;

    ProtocolVersion(String protocolName, int level, String tag) {
        this.protocolName = protocolName;
        this.level = level;
        this.tag = tag;
    }

    /** Protocol Name of CONNECT. */
    public String protocolName() {
        return protocolName;
    }

    /** Protocol Level (Protocol Version in 5.0) of CONNECT. */
    public int level() {
        return level;
    }

    /** The version's value of the metrics tag {@code protocol}. */
    public String tag() {
        return tag;
    }

    public boolean isV5() {
        return this == MQTT_5;
    }
}
