package io.godwit.cluster.transport;

/**
 * A kind of message between nodes.
 *
 * @param code given once and never again for something else, 1..65 535. Codes below 16 are the
 *     transport's own. A node that does not know a code skips the message and counts it
 * @param traffic the class whose order and credits it has
 * @param name for counters and logs
 */
public record MessageType(int code, TrafficClass traffic, String name) {
    /** The lowest code that rooms may use. */
    public static final int CODE_MIN = 16;

    public MessageType {
        if (code < CODE_MIN || code > 0xFFFF) {
            throw new IllegalArgumentException(name + ": code " + code);
        }
    }
}
