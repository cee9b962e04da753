package io.godwit.core.connection;

import io.godwit.core.load.ShardLoad;
import io.godwit.core.settings.PacketLimits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The packets of one shard that have not arrived whole. Each has a time limit; and while the node's
 * bound for them is more than half used, those go that hold much and make no progress, so that
 * whoever comes new finds room.
 */
public final class PartialPackets {
    /** Milliseconds between two looks at each packet's progress. */
    private static final long LOOK_MS = 1_000;

    /** A packet that got less than this since the last look makes no progress. */
    private static final int PROGRESS_BYTES = 16 << 10;

    /** A packet that holds less than this is in nobody's way. */
    private static final int MUCH_BYTES = 64 << 10;

    private final ShardLoad load;
    private final PacketLimits limits;
    private @Nullable HeldBytes first;
    private long lookedAtMs;

    public PartialPackets(ShardLoad load, PacketLimits limits) {
        this.load = load;
        this.limits = limits;
    }

    void add(HeldBytes held) {
        HeldBytes head = first;
        held.next = head;
        if (head != null) {
            head.previous = held;
        }
        first = held;
    }

    void remove(HeldBytes held) {
        HeldBytes previous = held.previous;
        HeldBytes next = held.next;
        if (previous == null) {
            first = next;
        } else {
            previous.next = next;
        }
        if (next != null) {
            next.previous = previous;
        }
        held.previous = null;
        held.next = null;
    }

    /** Ends connections whose packet takes too long or holds up others; on the shard's thread. */
    public void onTick(long nowMs) {
        if (nowMs - lookedAtMs < LOOK_MS) {
            return;
        }
        lookedAtMs = nowMs;
        List<HeldBytes> late = new ArrayList<>(0);
        List<HeldBytes> stalled = new ArrayList<>(0);
        for (HeldBytes each = first; each != null; each = each.next) {
            int got = each.gotSinceLook();
            boolean isParked = each.isParked();
            if (!isParked && !each.isPacket()) {
                continue; // It is we who keep it waiting.
            }
            if (!isParked && nowMs - each.sinceMs() > limits.timeoutMs()) {
                late.add(each);
            } else if (got < PROGRESS_BYTES
                    && each.size() >= MUCH_BYTES
                    && nowMs - each.sinceMs() >= LOOK_MS) {
                stalled.add(each);
            }
        }
        late.forEach(HeldBytes::refuse);
        if (load.isHoldingMuch()) {
            stalled.sort(Comparator.comparingInt(HeldBytes::size).reversed());
            for (HeldBytes each : stalled) {
                if (!load.isHoldingMuch()) {
                    return;
                }
                each.refuse();
            }
        }
    }
}
