package io.godwit.core.group;

import io.godwit.core.message.Message;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.routing.SessionRef;
import io.godwit.core.routing.Subscription;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of a shared group, which may be given its messages, and who of them has left but
 * still completes what is in flight [MQTT-3.10.4-3].
 */
final class GroupMembers {
    private final GroupAssignment assignment;
    private final Map<SessionRef, GroupMember> members = new HashMap<>();

    GroupMembers(GroupAssignment assignment) {
        this.assignment = assignment;
    }

    @Nullable GroupMember get(SessionRef session) {
        return members.get(session);
    }

    /** The session as a member, if an entry is in flight to it; else null. */
    @Nullable GroupMember holder(SessionRef session, PartEntry entry) {
        GroupMember member = members.get(session);
        return member != null && entry.holder == member ? member : null;
    }

    /** All, in a list of its own: each may be removed. */
    List<GroupMember> all() {
        return List.copyOf(members.values());
    }

    /**
     * A session is a member from now on, or a member has another subscription. What one that is
     * online has in flight, and its credit, stay as they are.
     */
    GroupMember join(
            Subscription s, boolean online, int credit, int attachment, int packetBytesMax) {
        GroupMember member = members.get(s.session);
        if (member == null) {
            member = new GroupMember(s);
            members.put(s.session, member);
            attach(member, online, credit, attachment, packetBytesMax);
            return member;
        }
        boolean wasLeaving = member.leaving;
        member.subscription = s;
        member.leaving = false;
        if (!member.online) {
            attach(member, online, credit, attachment, packetBytesMax);
        } else if (wasLeaving) {
            assignment.available(member);
        }
        return member;
    }

    /** It has a connection, or none. */
    void attach(
            GroupMember member, boolean online, int credit, int attachment, int packetBytesMax) {
        member.online = online;
        member.credit = online ? credit : 0;
        member.attachment = attachment;
        member.packetBytesMax = packetBytesMax;
        if (online && !member.leaving) {
            assignment.available(member);
        } else {
            assignment.unavailable(member);
        }
    }

    /** Whether one that is offline, and that messages are kept for, may take this one. */
    boolean mayTakeLater(Message message) {
        for (GroupMember member : members.values()) {
            if (!member.online && member.countedKeeping && member.takes(message)) {
                return true;
            }
        }
        return false;
    }

    /** It gets nothing any more. */
    void leaves(GroupMember member) {
        member.leaving = true;
        assignment.unavailable(member);
    }

    /**
     * @return null when it was none
     */
    @Nullable GroupMember remove(SessionRef session) {
        GroupMember member = members.remove(session);
        if (member != null) {
            leaves(member);
        }
        return member;
    }

    void clear() {
        members.clear();
    }
}
