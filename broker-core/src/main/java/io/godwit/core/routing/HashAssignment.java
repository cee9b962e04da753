package io.godwit.core.routing;

import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * By the hash of the topic or of the publisher's client id. What has the same hash goes to the same
 * member in order, so it waits for that member's credit as long as it is online, and no other is
 * taken instead. 256 slots are given to the members that are online by rendezvous hashing (the
 * highest mix of slot and client id): a member that comes or goes moves no slot between others.
 */
final class HashAssignment implements GroupAssignment {
    private static final int SLOTS = 256;

    private final boolean byClient;
    private final List<GroupQueue> queues = new ArrayList<>();
    private final @Nullable GroupMember[] owners = new GroupMember[SLOTS];
    private final List<GroupMember> online = new ArrayList<>();

    HashAssignment(boolean byClient) {
        this.byClient = byClient;
        for (int i = 0; i < SLOTS; i++) {
            queues.add(new GroupQueue());
        }
    }

    @Override
    public @Nullable GroupMember memberFor(Message message, boolean needsCredit) {
        GroupMember owner = owners[slot(message)];
        return owner != null && owner.isReady(needsCredit) ? owner : null;
    }

    @Override
    public GroupQueue queueOf(Message message) {
        return queues.get(slot(message));
    }

    @Override
    public @Nullable GroupQueue nextQueue() {
        GroupQueue next = null;
        long lowest = Long.MAX_VALUE;
        for (int i = 0; i < SLOTS; i++) {
            GroupMember owner = owners[i];
            GroupEntry head = queues.get(i).peek();
            if (head != null && head.id < lowest && owner != null && owner.isReady(true)) {
                next = queues.get(i);
                lowest = head.id;
            }
        }
        return next;
    }

    @Override
    public Iterable<GroupQueue> queues() {
        return queues;
    }

    @Override
    public void available(GroupMember member) {
        if (online.contains(member)) {
            return;
        }
        online.add(member);
        for (int i = 0; i < SLOTS; i++) {
            GroupMember owner = owners[i];
            if (owner == null || isBetter(member, owner, i)) {
                owners[i] = member;
            }
        }
    }

    @Override
    public void unavailable(GroupMember member) {
        if (!online.remove(member)) {
            return;
        }
        for (int i = 0; i < SLOTS; i++) {
            if (owners[i] == member) {
                owners[i] = best(i);
            }
        }
    }

    private @Nullable GroupMember best(int slot) {
        GroupMember best = null;
        for (GroupMember member : online) {
            if (best == null || isBetter(member, best, slot)) {
                best = member;
            }
        }
        return best;
    }

    private static boolean isBetter(GroupMember member, GroupMember than, int slot) {
        long a = weight(member, slot);
        long b = weight(than, slot);
        return a != b ? a > b : member.session().generation() > than.session().generation();
    }

    private static long weight(GroupMember member, int slot) {
        return mix((long) member.session().clientId().hashCode() << 32 | slot);
    }

    private int slot(Message message) {
        ClientId publisher = message.publisher;
        int hash =
                !byClient ? message.topic.hashCode() : publisher == null ? 0 : publisher.hashCode();
        return (int) (mix(hash) >>> 56);
    }

    /** The finalizer of SplitMix64. */
    private static long mix(long z) {
        z = (z ^ z >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ z >>> 27) * 0x94D0_49BB_1331_11EBL;
        return z ^ z >>> 31;
    }
}
