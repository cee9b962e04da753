package io.godwit.core.group;

import io.godwit.core.packet.TopicFilter;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.queue.PartQueue;
import io.godwit.core.routing.SessionRef;
import io.godwit.core.store.Recovery.KeptInFlight;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What members of a shared group had in flight when the broker stopped. It is read part by part
 * after the start, and until all of it was, nothing is delivered: who has it must be known first.
 */
public final class GroupRecovery {
    private final TopicFilter filter;
    private final GroupMembers members;
    private final GroupQueue queue;
    private final GroupDelivery delivery;

    /** Parts whose entries in flight have not been read. */
    private int unread;

    private final Set<Long> messageIds = new HashSet<>();

    GroupRecovery(
            TopicFilter filter, GroupMembers members, GroupQueue queue, GroupDelivery delivery) {
        this.filter = filter;
        this.members = members;
        this.queue = queue;
        this.delivery = delivery;
    }

    /** One part had this in flight; it will be read. */
    void expect(List<KeptInFlight> sent) {
        if (!sent.isEmpty()) {
            unread++;
            sent.forEach(each -> messageIds.add(each.id().clock()));
        }
    }

    boolean isUnderWay() {
        return unread > 0;
    }

    /** Whether the row of this id was in flight; known from the start on. */
    boolean wasInFlight(long messageId) {
        return messageIds.contains(messageId);
    }

    /** Reads what was in flight of one part, some of it after the message id that is given. */
    public void read(int number, long after, PartQueue.InFlightTaker taker) {
        PartQueue part = queue.parts().get(number);
        if (part != null) {
            part.readInFlight(after, taker);
        }
    }

    /**
     * An entry was in flight.
     *
     * @param session who has it; null when that session has ended: then the entry ends, too
     */
    public void recovered(PartEntry entry, @Nullable SessionRef session, KeptInFlight as) {
        if (session == null) {
            delivery.giveUp(entry);
        } else {
            delivery.recovered(members.receiver(session, filter, as.to()), entry, as);
        }
    }

    /**
     * One part was read.
     *
     * @return whether it was the last
     */
    boolean partRead() {
        unread--;
        return unread == 0;
    }
}
