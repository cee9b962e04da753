package io.godwit.server.listener;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * What the outgoing buffers of one shard's connections take, and who of them may take more.
 *
 * <p>The node has a share of the network buffers' memory for them ({@code
 * overload.outbound-bytes}). The fuller it is, the less one connection may hold:
 *
 * <pre>
 * level   of the share   a connection is written to
 * ROOM    below 1/2      up to overload.write-high-water
 * TIGHT   1/2            while it holds less than 64 KiB
 * SHORT   3/4            when its socket has taken everything; those that hold most are closed
 * FULL    all            not at all, until some were closed
 * </pre>
 *
 * What is not written stays in queues, where a message is in memory once whatever the number of its
 * subscribers. A buffer counts from its making until its socket has taken everything: who is never
 * slow costs two additions. What connections share counts once for the node, and for each of them
 * where it is asked how much that one holds.
 */
final class OutboundBacklog {
    /** How far a shard's count may be from what the others see of it. */
    private static final long STEP = 256 << 10;

    /** What a connection may hold while memory is tight. */
    static final int LITTLE = 64 << 10;

    /** How soon those are looked at again that were not written to. */
    private static final long AGAIN_MS = 5;

    /** Connections that are written to again in one look. */
    private static final int AGAIN_MAX = 200;

    /** Connections that are closed in one look. */
    private static final int CLOSED_MAX = 100;

    enum Level {
        ROOM,
        TIGHT,
        SHORT,
        FULL
    }

    private final OutboundBacklogs node;
    private final ScheduledExecutorService loop;
    private final Set<ChannelWire> slow = identitySet();
    private final Set<ChannelWire> refused = identitySet();
    private final SharedCopies copies = new SharedCopies(this::count);
    private long bytes;
    private volatile long told;
    private Level level = Level.ROOM;
    private boolean looksAgain;

    OutboundBacklog(OutboundBacklogs node, ScheduledExecutorService loop) {
        this.node = node;
        this.loop = loop;
    }

    private static Set<ChannelWire> identitySet() {
        return Collections.newSetFromMap(new IdentityHashMap<>());
    }

    // ---------------------------------------------------------------- on the shard's thread

    /** Buffers were made (above 0) or are free again. */
    void count(long change) {
        bytes += change;
        if (Math.abs(bytes - told) > STEP) {
            tell();
        }
    }

    /** Payloads that several connections write; counted once each. */
    SharedCopies copies() {
        return copies;
    }

    private void tell() {
        told = bytes;
        level = node.level();
    }

    /** Whether the connection may be written to; if not, it is told when it may. */
    boolean admits(ChannelWire wire) {
        if (level == Level.ROOM || mayTake(wire)) {
            return true;
        }
        refused.add(wire);
        lookAgainSoon();
        return false;
    }

    private boolean mayTake(ChannelWire wire) {
        return switch (level) {
            case ROOM -> true;
            case TIGHT -> wire.heldBytes() < LITTLE;
            case SHORT -> wire.heldBytes() < LITTLE && wire.pendingBytes() == 0;
            case FULL -> false;
        };
    }

    private void lookAgain() {
        looksAgain = false;
        recount();
    }

    /** Adds a connection whose socket did not take everything. */
    void add(ChannelWire wire) {
        slow.add(wire);
    }

    void remove(ChannelWire wire) {
        slow.remove(wire);
        refused.remove(wire);
    }

    /** Call from time to time. */
    void recount() {
        for (Iterator<ChannelWire> wires = slow.iterator(); wires.hasNext(); ) {
            ChannelWire wire = wires.next();
            if (wire.recount()) {
                wires.remove();
                wire.caughtUp();
            }
        }
        tell();
        if (level.compareTo(Level.SHORT) >= 0) {
            closeLargest();
        }
        if (!refused.isEmpty()) {
            writeAgain();
        }
    }

    private void writeAgain() {
        List<ChannelWire> again = new ArrayList<>(AGAIN_MAX);
        for (ChannelWire wire : refused) {
            if (again.size() == AGAIN_MAX) {
                break;
            }
            if (mayTake(wire)) {
                again.add(wire);
            }
        }
        again.forEach(refused::remove);
        again.forEach(ChannelWire::writableAgain);
        if (!refused.isEmpty()) {
            lookAgainSoon();
        }
    }

    private void lookAgainSoon() {
        if (!looksAgain) {
            looksAgain = true;
            loop.schedule(this::lookAgain, AGAIN_MS, TimeUnit.MILLISECONDS);
        }
    }

    private void closeLargest() {
        List<ChannelWire> largest = new ArrayList<>(slow);
        largest.sort(Comparator.comparingLong(ChannelWire::heldBytes).reversed());
        int closed = 0;
        for (ChannelWire wire : largest) {
            if (level.compareTo(Level.SHORT) < 0 || closed++ == CLOSED_MAX) {
                return;
            }
            wire.overdrawn();
            tell();
        }
    }

    // ---------------------------------------------------------------- any thread

    /** Within a step of what it is. */
    long bytes() {
        return told;
    }
}
