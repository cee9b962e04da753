package io.godwit.server.client;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Numbers the messages from one publisher to one subscriber, and finds those that are lost: they
 * were acknowledged, and have not come although the subscriber has been connected for ten seconds
 * since. A message that comes after all counts as late, not as lost.
 */
final class CheckedStream {
    /** So few that a node that is away for a day costs nothing. */
    static final int IN_FLIGHT_MAX = 10;

    static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int PACKET_IDS = 65_535;

    /** A message that is sent and not acknowledged. */
    private static final class InFlight {
        private final long number;
        private final long sentNanos;
        private boolean isDelivered;

        private InFlight(long number, long sentNanos) {
            this.number = number;
            this.sentNanos = sentNanos;
        }
    }

    private final ArrayDeque<InFlight> inFlight = new ArrayDeque<>();

    /** Numbers of messages that are acknowledged and not delivered, with the time of PUBACK. */
    private final Map<Long, Long> undelivered = new HashMap<>();

    /** Numbers of messages that are lost, unless they come late. */
    private final Set<Long> overdue = new HashSet<>();

    private long lastNumber;
    private long acknowledged;

    /** The longest wait for an acknowledgement since {@link #takeLongestWait}. */
    private long longestWaitNanos;

    private boolean isSubscriberConnected;
    private long connectedSinceNanos;

    /** Takes the number of the next message, or 0 when enough are in flight. */
    synchronized long take(long nowNanos) {
        if (inFlight.size() >= IN_FLIGHT_MAX) return 0;
        inFlight.add(new InFlight(++lastNumber, nowNanos));
        return lastNumber;
    }

    /** The packet identifier of a message: unique among those in flight. */
    static int packetId(long number) {
        return (int) ((number - 1) % PACKET_IDS) + 1;
    }

    /** Numbers of the messages that are not acknowledged, oldest first. */
    synchronized List<Long> unacknowledged() {
        List<Long> numbers = new ArrayList<>();
        for (InFlight each : inFlight) numbers.add(each.number);
        return numbers;
    }

    synchronized void onAcknowledged(int packetId, long nowNanos) {
        for (InFlight each : inFlight) {
            if (packetId(each.number) == packetId) {
                inFlight.remove(each);
                acknowledged++;
                longestWaitNanos = Math.max(longestWaitNanos, nowNanos - each.sentNanos);
                if (!each.isDelivered) undelivered.put(each.number, nowNanos);
                return;
            }
        }
    }

    /** Gives up a message that the broker has refused: nothing was promised. */
    synchronized void onRefused(int packetId) {
        inFlight.removeIf(each -> packetId(each.number) == packetId);
    }

    synchronized void onDelivered(long number) {
        if (undelivered.remove(number) != null || overdue.remove(number)) return;
        for (InFlight each : inFlight) {
            if (each.number == number) each.isDelivered = true;
        }
    }

    synchronized void onSubscriberConnected(long nowNanos) {
        isSubscriberConnected = true;
        connectedSinceNanos = nowNanos;
    }

    synchronized void onSubscriberGone() {
        isSubscriberConnected = false;
    }

    /** Moves messages that are overdue by now to those that are lost. */
    synchronized void judge(long nowNanos) {
        if (!isSubscriberConnected || nowNanos - connectedSinceNanos <= LATE_NANOS) return;
        undelivered
                .entrySet()
                .removeIf(each ->
                        nowNanos - each.getValue() > LATE_NANOS && overdue.add(each.getKey()));
    }

    /**
     * Returns how long a message has waited for its acknowledgement at most since the last call.
     */
    synchronized long takeLongestWait(long nowNanos) {
        InFlight oldest = inFlight.peek();
        long waiting = oldest == null ? 0 : nowNanos - oldest.sentNanos;
        long longest = Math.max(longestWaitNanos, waiting);
        longestWaitNanos = 0;
        return longest;
    }

    synchronized CheckingLoad.Counts counts() {
        return new CheckingLoad.Counts(
                acknowledged, overdue.size(), undelivered.size(), inFlight.size());
    }
}
