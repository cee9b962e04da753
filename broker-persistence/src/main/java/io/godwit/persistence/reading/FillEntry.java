package io.godwit.persistence.reading;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.store.Receiver;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a queue, or a marker, as it stands at one moment.
 *
 * @param packetId 0 while idle
 * @param receiver of a group's entry that is in flight to a member; else null
 * @param qos 1 or 2
 * @param retain RETAIN flag with which it is delivered
 * @param ids Subscription Identifiers
 * @param message null when only a marker is left
 */
record FillEntry(
        HybridId id,
        Status status,
        int packetId,
        @Nullable Receiver receiver,
        int qos,
        boolean retain,
        int[] ids,
        @Nullable Message message,
        int ingressServer,
        long ingressCounter) {
    /** How far an entry's delivery has come. */
    enum Status {
        IDLE,
        /** The entry has a packet id. */
        IN_FLIGHT,
        /** PUBREC came: the message is gone. */
        RELEASED,
        /** An entry of a shared group, which the session has got: PUBCOMP is missing. */
        GOT
    }
}
