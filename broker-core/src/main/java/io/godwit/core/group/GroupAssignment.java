package io.godwit.core.group;

import io.godwit.core.message.Message;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.queue.PartQueue;
import io.godwit.core.settings.SharedStrategy;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Which part a message waits in, which member it goes to, and what goes next. */
sealed interface GroupAssignment permits SpreadAssignment, HashAssignment {
    /**
     * @param random for {@link SharedStrategy#RANDOM}
     * @param endsTooLarge whether a message goes that is too large for all members that are online;
     *     else it waits for others
     */
    static GroupAssignment of(
            SharedStrategy strategy, RandomGenerator random, Predicate<Message> endsTooLarge) {
        return switch (strategy) {
            case HASH_CLIENT -> new HashAssignment(true, endsTooLarge);
            case HASH_TOPIC -> new HashAssignment(false, endsTooLarge);
            case ROUND_ROBIN, RANDOM, STICKY, LEAST_IN_FLIGHT ->
                    new SpreadAssignment(strategy, random, endsTooLarge);
        };
    }

    /** The part of a message, 0..15: the same whenever and wherever it is published again. */
    int partOf(Message message);

    /**
     * @param needsCredit false for QoS 0
     * @return null when it must wait
     */
    @Nullable GroupMember memberFor(Message message, boolean needsCredit);

    /**
     * Of a message that was taken out of its part.
     *
     * @return null when it must wait
     */
    @Nullable GroupMember memberFor(PartEntry entry);

    /**
     * Whether members are online, none of them takes a packet of this message's size, and it waits
     * for no other.
     */
    boolean isTooLarge(Message message);

    /** Whether a new message may be sent before what waits. */
    boolean mayPass(GroupParts parts, Message message);

    /**
     * Takes the next message that can go to a member now, is expired, or {@linkplain #isTooLarge
     * too large}: out of its part.
     *
     * @return null when nothing can go
     */
    @Nullable PartEntry takeNext(GroupParts parts, long nowMs);

    /** Taken out of a part to look past it, and still waiting. */
    int held();

    long heldBytes();

    void forEachHeld(Consumer<PartEntry> each);

    /** What was looked past goes back to its part, in order. */
    void putBackHeld(PartQueue part);

    /** It is online, or has come back, and subscribed. */
    void available(GroupMember member);

    /** It is offline, or has unsubscribed, or is gone; no harm when it was not available. */
    void unavailable(GroupMember member);

    /** Well mixed bits of any number: the finalizer of SplitMix64. */
    static long mix(long number) {
        long z = (number ^ number >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ z >>> 27) * 0x94D0_49BB_1331_11EBL;
        return z ^ z >>> 31;
    }
}
