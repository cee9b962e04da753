package io.godwit.cluster.replication;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One copy set of this node: its followers, and what they have not confirmed yet. */
final class LedCopySet {
    final int number;

    /** The streams to the followers that acknowledgements wait for. */
    final List<CopyStream> followers = new ArrayList<>(2);

    private final ArrayDeque<AwaitedParts> awaited = new ArrayDeque<>();

    /** Parts that came before followers were chosen. */
    private record Early(AwaitedParts parts, List<byte[]> bodies) {}

    private final List<Early> early = new ArrayList<>();

    private long earlyBytes;

    /** Position of the journal up to which the parts have come here. */
    private long told;

    LedCopySet(int number) {
        this.number = number;
    }

    /**
     * Takes the parts of a commit.
     *
     * @param isOpening followers are about to be chosen: parts wait for them
     */
    void add(long position, List<byte[]> bodies, boolean isOpening) {
        told = position;
        if (followers.isEmpty() && !isOpening) {
            return;
        }
        AwaitedParts parts = new AwaitedParts(position);
        awaited.add(parts);
        if (followers.isEmpty()) {
            parts.missing = 1;
            early.add(new Early(parts, bodies));
            bodies.forEach(each -> earlyBytes += each.length);
        } else {
            give(parts, bodies);
        }
    }

    private void give(AwaitedParts parts, List<byte[]> bodies) {
        for (CopyStream each : followers) {
            for (byte[] body : bodies) {
                parts.missing++;
                each.add(new StreamPart(number, body, parts));
            }
        }
    }

    /** Followers were chosen, or nobody is there: parts wait for no others. */
    void endOpening() {
        for (Early each : early) {
            each.parts.missing--;
            give(each.parts, each.bodies);
        }
        early.clear();
        earlyBytes = 0;
    }

    /** Bytes of the parts that wait for followers to be chosen. */
    long earlyBytes() {
        return earlyBytes;
    }

    /**
     * @return null when the node does not follow
     */
    @Nullable CopyStream follower(int server) {
        for (CopyStream each : followers) {
            if (each.server == server) {
                return each;
            }
        }
        return null;
    }

    /**
     * Returns the server ids of some followers, rising.
     *
     * @param areWhole whether of those that have everything, or of those that are being filled
     */
    List<Integer> servers(boolean areWhole) {
        return followers.stream()
                .filter(each -> each.whole.get(number) == areWhole)
                .map(each -> each.server)
                .sorted()
                .toList();
    }

    /** Returns the position of the journal up to which all followers have confirmed. */
    long confirmed() {
        AwaitedParts first = awaited.peekFirst();
        while (first != null && first.missing == 0) {
            awaited.removeFirst();
            first = awaited.peekFirst();
        }
        return first == null ? told : first.position - 1;
    }
}
