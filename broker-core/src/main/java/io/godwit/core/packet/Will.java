package io.godwit.core.packet;

/**
 * The Will Message of a CONNECT.
 *
 * @param qos 0..2
 * @param payload 0..65 535 bytes, never changed by anyone
 * @param delaySeconds Will Delay Interval, 0..4 294 967 295; 0 for 3.x
 * @param properties what goes with the message (Payload Format, Message Expiry, Content Type,
 *     Response Topic, Correlation Data, User Property); without Will Delay Interval
 */
public record Will(
        Topic topic,
        int qos,
        boolean retain,
        byte[] payload,
        long delaySeconds,
        Properties properties) {
    /** About how many bytes the will takes in memory. */
    public long accountedBytes() {
        return topic.length() + payload.length + properties.accountedBytes();
    }
}
