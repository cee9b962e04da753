package io.godwit.core.store;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Coverage;
import io.godwit.core.message.Message;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a queue for another node's copy: everything that the queue holds in a range of ids, as
 * of one position of the journal. What is in the coverage and not among the entries is gone.
 *
 * @param position everything up to this record of the journal counts, and nothing behind it
 * @param above the range begins behind this id
 * @param upTo the last id of the range
 * @param coverage within the range
 * @param entries in id order
 * @param remembered ingress ids of messages in the range, here or delivered, in the order of the
 *     message ids; what is in the coverage and not among them will not come again
 * @param isLast the queue holds nothing above the range
 */
public record CopyPage(
        long queueId,
        long position,
        HybridId above,
        HybridId upTo,
        Coverage coverage,
        List<Entry> entries,
        List<KeptIngress> remembered,
        boolean isLast) {
    /** How far an entry's delivery has come. */
    public enum Status {
        IDLE,
        /** The entry has a packet id. */
        IN_FLIGHT,
        /** PUBREC came: the message is gone. */
        RELEASED,
        /** An entry of a shared group, which the session has got: PUBCOMP is missing. */
        GOT
    }

    /**
     * One entry.
     *
     * @param packetId 0 while idle
     * @param receiver of a group's entry that is in flight to a member; else null
     * @param qos 1 or 2
     * @param retain RETAIN flag with which it is delivered
     * @param ids Subscription Identifiers
     * @param message null when released, or of a group
     */
    public record Entry(
            HybridId id,
            Status status,
            int packetId,
            @Nullable Receiver receiver,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Message message,
            int ingressServer,
            long ingressCounter) {}

    /** Takes a page; called on a thread of the store, or of the shard where there is none. */
    public interface Reader {
        void onPage(CopyPage page);

        /** Called when the page could not be read, or too many wait to be read. */
        void onFailed(Throwable cause);

        /** Whether {@link CopyPage#remembered} is to be told; any thread asks. */
        default boolean wantsRemembered() {
            return true;
        }
    }
}
