package io.godwit.core.group;

import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.packet.ClientId;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.queue.PartQueue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * By the hash of the topic or of the publisher's client id. What has the same hash goes to the same
 * member in order, so it waits for that member's credit as long as it is online, and no other is
 * taken instead; within a bound it is looked past, so that others get theirs. 256 slots are given
 * to the members that are online by rendezvous hashing (the highest mix of slot and client id): a
 * member that comes or goes moves no slot between others.
 */
final class HashAssignment implements GroupAssignment {
    private static final int SLOTS = 256;

    private final boolean byClient;
    private final Predicate<Message> endsTooLarge;

    /**
     * Messages of one part that are looked past, since the member of their hash has no credit: with
     * more of them the part waits. They are in memory.
     */
    private static final int LOOK_PAST = 64;

    private final @Nullable ArrayDeque<PartEntry>[] held = slots();
    private final int[] heldOfPart = new int[GroupParts.COUNT];
    private int heldCount;
    private long heldBytes;
    private final @Nullable GroupMember[] owners = new GroupMember[SLOTS];
    private final List<GroupMember> online = new ArrayList<>();

    HashAssignment(boolean byClient, Predicate<Message> endsTooLarge) {
        this.byClient = byClient;
        this.endsTooLarge = endsTooLarge;
    }

    @SuppressWarnings("unchecked")
    private static @Nullable ArrayDeque<PartEntry>[] slots() {
        return (ArrayDeque<PartEntry>[]) new ArrayDeque<?>[SLOTS];
    }

    @Override
    public @Nullable GroupMember memberFor(Message message, boolean needsCredit) {
        GroupMember owner = owner(slot(message), message);
        return owner != null && owner.isReady(needsCredit) ? owner : null;
    }

    @Override
    public @Nullable GroupMember memberFor(PartEntry entry) {
        GroupMember owner = owner(slot(entry), entry.content());
        return owner != null && owner.isReady(true) ? owner : null;
    }

    @Override
    public int partOf(Message message) {
        return partOf(slot(message));
    }

    private static int partOf(int slot) {
        return slot / (SLOTS / GroupParts.COUNT);
    }

    @Override
    public boolean mayPass(GroupParts parts, Message message) {
        int slot = slot(message);
        PartQueue part = parts.get(partOf(slot));
        return held[slot] == null && (part == null || part.isEmpty());
    }

    @Override
    public @Nullable PartEntry takeNext(GroupParts parts, long nowMs) {
        int slot = heldSlot();
        PartEntry next = slot < 0 ? null : peekHeld(slot);
        PartQueue from = null;
        for (int i = 0; i < GroupParts.COUNT; i++) {
            PartQueue part = parts.get(i);
            PartEntry head = part == null ? null : head(part, i, nowMs);
            if (head != null && (next == null || QueuedMessage.compareIds(head, next) < 0)) {
                next = head;
                from = part;
            }
        }
        return from != null ? from.take() : slot < 0 ? null : takeHeld(slot);
    }

    /** The slot of the oldest message that was looked past and can go now; -1 when none can. */
    private int heldSlot() {
        int found = -1;
        PartEntry lowest = null;
        for (int i = 0; heldCount > 0 && i < SLOTS; i++) {
            PartEntry first = peekHeld(i);
            if (first != null
                    && (lowest == null || QueuedMessage.compareIds(first, lowest) < 0)
                    && mayGo(i, first)) {
                lowest = first;
                found = i;
            }
        }
        return found;
    }

    /** The first message of a part that can go; those before it are looked past. */
    private @Nullable PartEntry head(PartQueue part, int number, long nowMs) {
        PartEntry head;
        while ((head = part.peek()) != null) {
            int slot = slot(head);
            if (head.content().isExpired(nowMs) || held[slot] == null && mayGo(slot, head)) {
                part.readAhead();
                return head;
            }
            if (heldOfPart[number] == LOOK_PAST) {
                return null;
            }
            hold(slot, part.take());
        }
        part.readAhead();
        return null;
    }

    /** Whether its member is ready, or it is too large for all. */
    private boolean mayGo(int slot, PartEntry entry) {
        GroupMember owner = owner(slot, entry.content());
        return owner == null ? isTooLarge(entry.content()) : owner.isReady(true);
    }

    /** The slot's member, or the next best that takes a packet of this message's size. */
    private @Nullable GroupMember owner(int slot, Message message) {
        GroupMember owner = owners[slot];
        return owner == null || owner.takes(message) ? owner : best(slot, message);
    }

    @Override
    public boolean isTooLarge(Message message) {
        return !online.isEmpty()
                && owner(slot(message), message) == null
                && endsTooLarge.test(message);
    }

    private @Nullable PartEntry peekHeld(int slot) {
        ArrayDeque<PartEntry> waiting = held[slot];
        return waiting == null ? null : waiting.peek();
    }

    private void hold(int slot, PartEntry entry) {
        ArrayDeque<PartEntry> waiting = held[slot];
        if (waiting == null) {
            waiting = new ArrayDeque<>(4);
            held[slot] = waiting;
        }
        waiting.add(entry);
        count(slot, entry, 1);
    }

    private @Nullable PartEntry takeHeld(int slot) {
        ArrayDeque<PartEntry> waiting = held[slot];
        if (waiting == null) {
            return null;
        }
        PartEntry entry = waiting.remove();
        count(slot, entry, -1);
        if (waiting.isEmpty()) {
            held[slot] = null;
        }
        return entry;
    }

    private void count(int slot, PartEntry entry, int sign) {
        heldOfPart[partOf(slot)] += sign;
        heldCount += sign;
        heldBytes += (long) sign * entry.bytes;
        entry.part.accountHeld(entry, sign);
    }

    @Override
    public int held() {
        return heldCount;
    }

    @Override
    public long heldBytes() {
        return heldBytes;
    }

    @Override
    public void forEachHeld(Consumer<PartEntry> each) {
        for (ArrayDeque<PartEntry> waiting : held) {
            if (waiting != null) {
                waiting.forEach(each);
            }
        }
    }

    @Override
    public void putBackHeld(PartQueue part) {
        for (int i = 0; heldCount > 0 && i < SLOTS; i++) {
            PartEntry first = peekHeld(i);
            while (first != null && first.part.number() == part.number()) {
                takeHeld(i);
                first.part.putBack(first);
                first = peekHeld(i);
            }
        }
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
                owners[i] = best(i, null);
            }
        }
    }

    /**
     * @param message that it takes; null for any
     */
    private @Nullable GroupMember best(int slot, @Nullable Message message) {
        GroupMember best = null;
        for (GroupMember member : online) {
            if ((message == null || member.takes(message))
                    && (best == null || isBetter(member, best, slot))) {
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
        return GroupAssignment.mix((long) member.session().clientId().hashCode() << 32 | slot);
    }

    /**
     * Rows don't keep the publisher. What was read from one goes the way of its part's first slot:
     * in order with what is read like it, though perhaps to another member than what is not.
     */
    private int slot(PartEntry entry) {
        Message message = entry.content();
        return byClient && message.publisher == null
                ? entry.part.number() * (SLOTS / GroupParts.COUNT)
                : slot(message);
    }

    private int slot(Message message) {
        ClientId publisher = message.publisher;
        int hash =
                !byClient ? message.topic.hashCode() : publisher == null ? 0 : publisher.hashCode();
        return (int) (GroupAssignment.mix(hash) >>> 56);
    }
}
