package io.godwit.core.store;

import io.godwit.core.id.SessionKey;

/**
 * The session that an entry of a shared group's queue is in flight to at QoS 2, and how it was
 * sent: it is sent again in the same way, though the subscription may be another one by then.
 *
 * @param session its queue id is 0 for a transient one, which ends with the process
 * @param retain RETAIN flag of the PUBLISH
 * @param ids Subscription Identifiers of the PUBLISH
 */
public record Receiver(SessionKey session, boolean retain, int[] ids) {}
