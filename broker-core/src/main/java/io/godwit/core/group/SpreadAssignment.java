package io.godwit.core.group;

import io.godwit.core.message.Message;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.queue.PartQueue;
import io.godwit.core.settings.SharedStrategy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Any member will do that takes packets of the message's size: round-robin, random, sticky and
 * least-in-flight. Messages wait only while no such member has credit.
 */
final class SpreadAssignment implements GroupAssignment {
    /** Draws before the members are searched from the last one on. */
    private static final int DRAWS = 4;

    /** Messages that are looked past, in memory: with more of them all wait. */
    private static final int LOOK_PAST = 64;

    private final SharedStrategy strategy;
    private final RandomGenerator random;
    private final Predicate<Message> endsTooLarge;

    /** Online, in the order in which they came. */
    private final List<GroupMember> members = new ArrayList<>();

    /** Looked past: members that take packets of this size have no credit, or are offline. */
    private final ArrayDeque<PartEntry> held = new ArrayDeque<>(0);

    private long heldBytes;

    /** Place of the one that got the last message. */
    private int last = -1;

    SpreadAssignment(
            SharedStrategy strategy, RandomGenerator random, Predicate<Message> endsTooLarge) {
        this.strategy = strategy;
        this.random = random;
        this.endsTooLarge = endsTooLarge;
    }

    @Override
    public @Nullable GroupMember memberFor(PartEntry entry) {
        return memberFor(entry.content(), true);
    }

    @Override
    public @Nullable GroupMember memberFor(Message message, boolean needsCredit) {
        if (members.isEmpty()) {
            return null;
        }
        int chosen =
                switch (strategy) {
                    case ROUND_ROBIN -> after(last, message, needsCredit);
                    case RANDOM -> random(message, needsCredit);
                    case STICKY -> after(Math.max(last, 0) - 1, message, needsCredit);
                    case LEAST_IN_FLIGHT -> leastInFlight(message, needsCredit);
                    case HASH_CLIENT, HASH_TOPIC ->
                            throw new IllegalStateException("not spread: " + strategy);
                };
        if (chosen < 0) {
            return null;
        }
        last = chosen;
        return members.get(chosen);
    }

    @Override
    public int partOf(Message message) {
        long ingress = message.ingressCounter * 31 + message.ingressServer;
        return (int) (GroupAssignment.mix(ingress) >>> 60);
    }

    @Override
    public boolean mayPass(GroupParts parts, Message message) {
        return parts.isEmpty();
    }

    /**
     * Takes the oldest message that a member can get now. Older ones that only members without
     * credit take are set aside, at most {@link #LOOK_PAST}, so that the others go on.
     */
    @Override
    public @Nullable PartEntry takeNext(GroupParts parts, long nowMs) {
        PartEntry next = held.isEmpty() ? null : takeHeld(nowMs);
        PartQueue part;
        while (next == null && (part = parts.oldest()) != null) {
            PartEntry head = part.peek();
            part.readAhead();
            if (head == null) {
                return null;
            }
            if (mayGo(head, nowMs)) {
                next = part.take();
            } else if (held.size() < LOOK_PAST) {
                hold(part.take());
            } else {
                return null;
            }
        }
        return next;
    }

    private boolean mayGo(PartEntry entry, long nowMs) {
        Message message = entry.content();
        return message.isExpired(nowMs) || after(last, message, true) >= 0 || isTooLarge(message);
    }

    @Override
    public boolean isTooLarge(Message message) {
        for (int i = 0; i < members.size(); i++) {
            if (members.get(i).takes(message)) {
                return false;
            }
        }
        return !members.isEmpty() && endsTooLarge.test(message);
    }

    // ---------------------------------------------------------------- looked past

    private void hold(PartEntry entry) {
        held.add(entry);
        count(entry, 1);
    }

    private @Nullable PartEntry takeHeld(long nowMs) {
        for (Iterator<PartEntry> i = held.iterator(); i.hasNext(); ) {
            PartEntry entry = i.next();
            if (mayGo(entry, nowMs)) {
                i.remove();
                count(entry, -1);
                return entry;
            }
        }
        return null;
    }

    private void count(PartEntry entry, int sign) {
        heldBytes += (long) sign * entry.bytes;
        entry.part.accountHeld(entry, sign);
    }

    @Override
    public int held() {
        return held.size();
    }

    @Override
    public long heldBytes() {
        return heldBytes;
    }

    @Override
    public void forEachHeld(Consumer<PartEntry> each) {
        held.forEach(each);
    }

    @Override
    public void putBackHeld(PartQueue part) {
        held.removeIf(entry -> {
            boolean isOfPart = entry.part.number() == part.number();
            if (isOfPart) {
                count(entry, -1);
                entry.part.putBack(entry);
            }
            return isOfPart;
        });
    }

    @Override
    public void available(GroupMember member) {
        if (!members.contains(member)) {
            members.add(member);
        }
    }

    @Override
    public void unavailable(GroupMember member) {
        int i = members.indexOf(member);
        if (i >= 0) {
            members.remove(i);
            if (i <= last) {
                last--;
            }
        }
    }

    /** The first one that is ready after a place, around in a circle; -1 when none is. */
    private int after(int place, Message message, boolean needsCredit) {
        int size = members.size();
        for (int k = 1; k <= size; k++) {
            int i = Math.floorMod(place + k, size);
            if (members.get(i).isReady(message, needsCredit)) {
                return i;
            }
        }
        return -1;
    }

    private int random(Message message, boolean needsCredit) {
        int drawn = 0;
        for (int draw = 0; draw < DRAWS; draw++) {
            drawn = random.nextInt(members.size());
            if (members.get(drawn).isReady(message, needsCredit)) {
                return drawn;
            }
        }
        return after(drawn, message, needsCredit);
    }

    private int leastInFlight(Message message, boolean needsCredit) {
        int least = -1;
        int size = members.size();
        for (int k = 1; k <= size; k++) {
            int i = Math.floorMod(last + k, size); // among equals the next in turn
            GroupMember member = members.get(i);
            if (member.isReady(message, needsCredit)
                    && (least < 0 || member.inFlight() < members.get(least).inFlight())) {
                least = i;
            }
        }
        return least;
    }
}
