package io.godwit.core.store;

/**
 * The session that an entry of a shared group's queue is in flight to at QoS 2, and how it was
 * sent: it is sent again in the same way, though the subscription may be another one by then.
 *
 * @param queueId of the session; 0 for a transient one, which ends with the process
 * @param generation of the session
 * @param retain RETAIN flag of the PUBLISH
 * @param ids Subscription Identifiers of the PUBLISH
 */
public record Receiver(long queueId, long generation, boolean retain, int[] ids) {}
