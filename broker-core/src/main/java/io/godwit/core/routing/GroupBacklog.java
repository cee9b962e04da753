package io.godwit.core.routing;

import io.godwit.core.message.Message;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The idle entries of a shared group: their count, bytes and first expiry. */
final class GroupBacklog {
    private final GroupAssignment assignment;
    private int messages;
    private long bytes;

    /** None expires before. */
    private long firstExpiryMs = Message.NEVER;

    GroupBacklog(GroupAssignment assignment) {
        this.assignment = assignment;
    }

    int messages() {
        return messages;
    }

    long bytes() {
        return bytes;
    }

    /** Adds the entry with the highest id. */
    void add(GroupEntry entry) {
        assignment.queueOf(entry.message).add(entry);
        count(entry);
    }

    /** Adds one that was in flight. */
    void putBack(GroupEntry entry) {
        assignment.queueOf(entry.message).putBack(entry);
        count(entry);
    }

    /** Removes the head of a queue. */
    void remove(GroupQueue queue, GroupEntry head) {
        queue.remove(head);
        uncount(head);
    }

    /** Removes what has expired. Costs nothing while none is due. */
    void expire(long nowMs, Consumer<GroupEntry> expired) {
        if (nowMs >= firstExpiryMs) {
            firstExpiryMs = Message.NEVER;
            removeIf(entry -> entry.message.isExpired(nowMs), expired);
        }
    }

    void clear(Consumer<GroupEntry> removed) {
        firstExpiryMs = Message.NEVER;
        removeIf(entry -> true, removed);
    }

    void forEach(Consumer<GroupEntry> consumer) {
        for (GroupQueue queue : assignment.queues()) {
            queue.forEach(consumer);
        }
    }

    private void removeIf(Predicate<GroupEntry> condition, Consumer<GroupEntry> removed) {
        for (GroupQueue queue : assignment.queues()) {
            queue.removeIf(entry -> {
                if (!condition.test(entry)) {
                    firstExpiryMs = Math.min(firstExpiryMs, entry.message.expiresAtMs);
                    return false;
                }
                uncount(entry);
                removed.accept(entry);
                return true;
            });
        }
    }

    private void count(GroupEntry entry) {
        messages++;
        bytes += entry.message.accountedBytes();
        firstExpiryMs = Math.min(firstExpiryMs, entry.message.expiresAtMs);
    }

    private void uncount(GroupEntry entry) {
        messages--;
        bytes -= entry.message.accountedBytes();
    }
}
