package io.godwit.core.session;

import io.godwit.core.queue.GroupTicket;
import io.godwit.core.queue.QueueEntry;
import io.godwit.core.routing.SharedGroupRef;
import org.jspecify.annotations.Nullable;

/**
 * Entries of durable groups that are in flight at QoS 2 to a durable member. The member's queue has
 * a row of each, so that the handshake goes on after a restart, and with nobody else
 * [MQTT-4.8.2-4]:
 *
 * <pre>
 * packet id given   row in the member's queue; PUBLISH leaves when it is committed
 * PUBREC            the row is a marker; the group's own entry is removed
 * PUBCOMP           the group makes sure that its own is removed, then the marker goes
 * </pre>
 */
final class Lent {
    private Lent() {}

    /**
     * The entry was given its packet id.
     *
     * @return whether a row was made of it
     */
    static boolean begin(Session member, QueueEntry entry) {
        GroupTicket ticket = entry.ticket;
        if (ticket == null || ticket.queueId() == 0 || entry.qos < 2 || !member.isDurable()) {
            return false;
        }
        entry.lentBy = ticket.queueId();
        put(member, entry, false);
        return true;
    }

    /**
     * PUBREC came.
     *
     * @return whether that is kept
     */
    static boolean released(Session member, QueueEntry entry) {
        if (entry.lentBy == 0 || !member.isDurable()) {
            return false;
        }
        put(member, entry, true);
        GroupTicket ticket = ticket(member, entry);
        if (ticket != null) {
            member.context()
                    .shard()
                    .send(
                            ticket.group().owner(),
                            new GroupMail.Released(
                                    member.context().groupsOf(ticket.group().owner()),
                                    ticket.group(),
                                    member,
                                    ticket.entry()));
        }
        return true;
    }

    /** The handshake has ended, or the member cannot take it. */
    static void end(Session member, QueueEntry entry) {
        GroupTicket ticket = ticket(member, entry);
        if (ticket != null) {
            member.context()
                    .shard()
                    .send(
                            ticket.group().owner(),
                            new GroupMail.Acked(
                                    member.context().groupsOf(ticket.group().owner()),
                                    ticket.group(),
                                    member,
                                    ticket.entry(),
                                    entry.lentBy != 0
                                            ? ticket.server()
                                            : GroupMail.Acked.NOT_LENT));
        } else if (member.isDurable()) {
            member.store().lentEnded(member.queueId(), entry.messageId, entry.server);
        }
    }

    private static void put(Session member, QueueEntry entry, boolean released) {
        GroupTicket ticket = entry.ticket;
        long messageId = ticket == null ? entry.messageId : ticket.entry();
        int server = ticket == null ? entry.server : ticket.server();
        member.store()
                .lent(member.queueId(), entry.lentBy, messageId, server, entry.packetId, released);
    }

    /**
     * @return null when the group has ended; a row that was read back has the group's message id
     */
    private static @Nullable GroupTicket ticket(Session member, QueueEntry entry) {
        GroupTicket ticket = entry.ticket;
        if (ticket != null) {
            return ticket;
        }
        SharedGroupRef group = member.context().recoveredGroup(entry.lentBy);
        return group == null
                ? null
                : new GroupTicket(group, entry.messageId, entry.server, entry.lentBy);
    }
}
