package io.godwit.core.simulation;

import io.godwit.core.node.Broker;
import io.godwit.core.store.Store;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * One start of the broker: its shards, their threads, its sockets and its memory. What it still had
 * to do when it ends is never done.
 */
final class Incarnation {
    /** 1 for the first. */
    final int number;

    final long startedAtMicros;
    final Broker broker;
    final SimulatedLoop[] loops;
    final Store store;
    final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false, true, false);
    final List<Link> links = new ArrayList<>();

    /** Its listeners are open. */
    boolean ready = true;

    /** Nobody new comes in any more. */
    boolean stopping;

    /** The process will end by itself. */
    boolean storeFailed;

    boolean over;

    private long pausedUntil;

    Incarnation(
            int number, long startedAtMicros, Broker broker, SimulatedLoop[] loops, Store store) {
        this.number = number;
        this.startedAtMicros = startedAtMicros;
        this.broker = broker;
        this.loops = loops;
        this.store = store;
        for (int i = 0; i < loops.length; i++) {
            loops[i].start(broker.shard(i));
        }
    }

    /** The process is stopped until then. */
    void pause(long untilMicros) {
        pausedUntil = untilMicros;
        for (SimulatedLoop loop : loops) {
            loop.pause(untilMicros);
        }
    }

    boolean isPaused(long nowMicros) {
        return nowMicros < pausedUntil;
    }

    /** A moment at which the process runs, the next one or a little later. */
    long pauseLeft(long nowMicros, RandomGenerator random) {
        return Math.max(0, pausedUntil - nowMicros) + random.nextInt(300);
    }

    /** The threads do what they have to do now: commits are closed, bytes flushed, mail read. */
    void drain() {
        boolean busy;
        do {
            busy = false;
            for (SimulatedLoop loop : loops) {
                busy |= loop.drain();
            }
        } while (busy);
    }

    void end() {
        over = true;
        for (SimulatedLoop loop : loops) {
            loop.stop();
        }
        for (Link link : links) {
            link.brokerDies();
        }
    }
}
