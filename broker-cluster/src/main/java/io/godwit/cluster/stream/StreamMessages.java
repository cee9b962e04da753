package io.godwit.cluster.stream;

import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.TrafficClass;

/** The messages that streams are made of. */
public final class StreamMessages {
    static final MessageType PUBLISH_OPEN =
            new MessageType(32, TrafficClass.PUBLISHES, "publish stream open");
    static final MessageType PUBLISH_BATCH =
            new MessageType(33, TrafficClass.PUBLISHES, "publish stream batch");
    static final MessageType SHARED_OPEN =
            new MessageType(34, TrafficClass.APPENDS, "shared stream open");
    static final MessageType SHARED_BATCH =
            new MessageType(35, TrafficClass.APPENDS, "shared stream batch");
    static final MessageType ANSWERS =
            new MessageType(36, TrafficClass.CONTROL, "answers to a stream");

    private StreamMessages() {}

    /** All of them. */
    public static MessageType[] types() {
        return new MessageType[] {PUBLISH_OPEN, PUBLISH_BATCH, SHARED_OPEN, SHARED_BATCH, ANSWERS};
    }

    static MessageType open(int stream) {
        return stream == StreamName.SHARED ? SHARED_OPEN : PUBLISH_OPEN;
    }

    static MessageType batch(int stream) {
        return stream == StreamName.SHARED ? SHARED_BATCH : PUBLISH_BATCH;
    }
}
