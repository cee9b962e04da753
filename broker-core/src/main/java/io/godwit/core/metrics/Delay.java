package io.godwit.core.metrics;

/** A way of a packet through a node whose duration is measured. */
public enum Delay {
    DELIVER_QOS0,
    DELIVER_QOS1,
    DELIVER_QOS2,
    ACK_QOS1,
    ACK_QOS2;

    /** From reading a PUBLISH until a PUBLISH of it, at this QoS, leaves for a subscriber. */
    public static Delay delivery(int qos) {
        return switch (qos) {
            case 0 -> DELIVER_QOS0;
            case 1 -> DELIVER_QOS1;
            default -> DELIVER_QOS2;
        };
    }

    /** From reading a PUBLISH until its PUBACK (QoS 1) or PUBREC (QoS 2) leaves. */
    public static Delay acknowledgement(int qos) {
        return qos == 1 ? ACK_QOS1 : ACK_QOS2;
    }
}
