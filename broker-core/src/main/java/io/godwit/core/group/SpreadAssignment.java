package io.godwit.core.group;

import io.godwit.core.message.Message;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.queue.PartQueue;
import io.godwit.core.settings.SharedStrategy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Any member will do: round-robin, random, sticky and least-in-flight. Messages wait only while no
 * member that is online has credit.
 */
final class SpreadAssignment implements GroupAssignment {
    /** Draws before the members are searched from the last one on. */
    private static final int DRAWS = 4;

    private final SharedStrategy strategy;
    private final RandomGenerator random;

    /** Online, in the order in which they came. */
    private final List<GroupMember> members = new ArrayList<>();

    /** Place of the one that got the last message. */
    private int last = -1;

    SpreadAssignment(SharedStrategy strategy, RandomGenerator random) {
        this.strategy = strategy;
        this.random = random;
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
                    case ROUND_ROBIN -> after(last, needsCredit);
                    case RANDOM -> random(needsCredit);
                    case STICKY -> after(Math.max(last, 0) - 1, needsCredit);
                    case LEAST_IN_FLIGHT -> leastInFlight(needsCredit);
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

    /** What has waited longest, in whichever part. */
    @Override
    public @Nullable PartEntry takeNext(GroupParts parts, long nowMs) {
        PartQueue part = parts.oldest();
        if (part == null) {
            return null;
        }
        PartEntry head = part.peek();
        part.readAhead();
        return head == null ? null : part.take();
    }

    @Override
    public int held() {
        return 0;
    }

    @Override
    public long heldBytes() {
        return 0;
    }

    @Override
    public void forEachHeld(Consumer<PartEntry> each) {}

    @Override
    public void putBackHeld(PartQueue part) {}

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
    private int after(int place, boolean needsCredit) {
        int size = members.size();
        for (int k = 1; k <= size; k++) {
            int i = Math.floorMod(place + k, size);
            if (members.get(i).isReady(needsCredit)) {
                return i;
            }
        }
        return -1;
    }

    private int random(boolean needsCredit) {
        int drawn = 0;
        for (int draw = 0; draw < DRAWS; draw++) {
            drawn = random.nextInt(members.size());
            if (members.get(drawn).isReady(needsCredit)) {
                return drawn;
            }
        }
        return after(drawn, needsCredit);
    }

    private int leastInFlight(boolean needsCredit) {
        int least = -1;
        int size = members.size();
        for (int k = 1; k <= size; k++) {
            int i = Math.floorMod(last + k, size); // among equals the next in turn
            GroupMember member = members.get(i);
            if (member.isReady(needsCredit)
                    && (least < 0 || member.inFlight() < members.get(least).inFlight())) {
                least = i;
            }
        }
        return least;
    }
}
