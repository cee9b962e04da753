package io.godwit.extension.packet;

/**
 * One filter of a SUBSCRIBE.
 *
 * @param topicFilter whole, with {@code $share/group/} if it is shared
 * @param qos 0..2
 * @param noLocal whether what the client itself publishes does not come back
 * @param retainAsPublished whether the RETAIN flag is kept
 * @param retainHandling 0: send retained messages; 1: if the subscription is new; 2: do not
 */
public record Subscription(
        String topicFilter,
        int qos,
        boolean noLocal,
        boolean retainAsPublished,
        int retainHandling) {
    /**
     * @throws IllegalArgumentException QoS or retain handling is not 0..2
     */
    public Subscription {
        if (qos < 0 || qos > 2 || retainHandling < 0 || retainHandling > 2) {
            throw new IllegalArgumentException(
                    "QoS " + qos + ", retain handling " + retainHandling + "; allowed are 0, 1, 2");
        }
    }

    /** Returns the same with another filter. */
    public Subscription withTopicFilter(String other) {
        return new Subscription(other, qos, noLocal, retainAsPublished, retainHandling);
    }

    /** Returns the same with another QoS. */
    public Subscription withQos(int other) {
        return new Subscription(topicFilter, other, noLocal, retainAsPublished, retainHandling);
    }
}
