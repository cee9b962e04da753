package io.godwit.cluster.broker;

import io.godwit.cluster.publish.ShardStreams;
import io.godwit.cluster.stream.OutStream;
import io.godwit.cluster.stream.StreamRecord;
import io.godwit.core.node.Broker;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.shard.Shard;
import io.godwit.core.time.Timer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Whether anything may still be on its way to a node that another one has sent before now: links
 * may be slow or broken, and what is not answered is sent again. Each node is asked, and tells when
 * the target has answered for all that.
 *
 * <p>A former home of sessions lets go of what it keeps then, since it alone can pass on what comes
 * for them:
 *
 * <pre>
 * new home                 a node                         former home
 *   -- filters ------------->  routes to the new home from now on
 *   -- ways asked ---------->  whatever it has sent before ------>
 *                              <--------------------- answered --
 *   <----------- ways told --
 *   -- whole ------------------------------------------------->   lets go
 * </pre>
 *
 * <p>And who remembers a publish of QoS 2 that was sent from several homes of its publisher forgets
 * it then.
 *
 * <p>A node that nothing is heard of may be dead, and have nothing to send: it is waited for {@code
 * cluster.start-wait}.
 *
 * <p>On the shard that owns the topic index.
 */
final class ClearWays {
    private static final long LOOK_MS = 500;

    private final int self;
    private final Broker broker;
    private final long waitMs;
    private final Shard owner;
    private final List<ShardStreams> streams;
    private final Map<Integer, Target> targets = new HashMap<>(0);

    /** By node: when it was heard last, or first missed. */
    private final Map<Integer, Long> heardMs = new HashMap<>();

    private long questions;
    private boolean isArmed;

    /** What is asked about the ways to one node. */
    private static final class Target {
        /** What waits for the answers to this question. */
        Map<Object, Runnable> asking = Map.of();

        long question;
        final Set<Integer> missing = new TreeSet<>();

        /** What came later, and waits for those to the next one. */
        Map<Object, Runnable> next = new LinkedHashMap<>();
    }

    /**
     * @param self server id of this node
     * @param waitMs a node that is not heard is waited for so long
     * @param streams of all shards
     */
    ClearWays(int self, Broker broker, long waitMs, List<ShardStreams> streams) {
        this.self = self;
        this.broker = broker;
        this.waitMs = waitMs;
        this.owner = broker.shard(TopicIndex.OWNER);
        this.streams = streams;
    }

    private ShardStreams shared() {
        return streams.get(TopicIndex.OWNER);
    }

    private void tell(int server, StreamRecord record) {
        shared().shared(server).add(record, null, false, false, false);
    }

    /** At start: a node that belongs to the cluster. */
    void member(int server) {
        heardMs.put(server, owner.nowMs());
    }

    /**
     * Runs a task when nothing is on its way to a node any more that was sent before now.
     *
     * @param what it is: asked for again before that, it is done once
     */
    void whenClear(int to, Object what, Runnable task) {
        Target of = targets.computeIfAbsent(to, any -> new Target());
        of.next.put(what, task);
        if (of.missing.isEmpty()) {
            ask(to, of);
        }
    }

    private void ask(int to, Target of) {
        of.asking = of.next;
        of.next = new LinkedHashMap<>();
        // An answer may come that is to a question of an earlier start.
        of.question = broker.context().startNumber() << 24 | ++questions & 0xFF_FFFF;
        hear();
        for (int server : heardMs.keySet()) {
            if (server != to && !isGivenUp(server)) {
                of.missing.add(server);
            }
        }
        of.missing.add(self);
        StreamRecord question = new StreamRecord.WaysAsked(of.question, to);
        for (int server : of.missing) {
            if (server != self) {
                tell(server, question);
            }
        }
        arm();
        long asked = of.question;
        if (to == self) {
            told(self, asked);
        } else {
            whenAnswered(to, () -> told(self, asked));
        }
    }

    // ---------------------------------------------------------------- what nodes say

    /** Another node asks. */
    void asked(int from, StreamRecord.WaysAsked asked) {
        StreamRecord answer = new StreamRecord.WaysTold(asked.question());
        whenAnswered(asked.to(), () -> tell(from, answer));
    }

    /** A node has nothing on its way any more of what it had when it was asked. */
    void told(int from, long question) {
        for (Map.Entry<Integer, Target> each : List.copyOf(targets.entrySet())) {
            Target of = each.getValue();
            if (of.question == question && of.missing.remove(from)) {
                look(each.getKey(), of);
            }
        }
    }

    private void look(int to, Target of) {
        if (!of.missing.isEmpty()) {
            return;
        }
        Map<Object, Runnable> done = of.asking;
        of.asking = Map.of();
        if (of.next.isEmpty()) {
            targets.remove(to);
        } else {
            ask(to, of);
        }
        done.values().forEach(Runnable::run);
    }

    /** Runs a task when a node has answered for everything that was sent there before now. */
    private void whenAnswered(int server, Runnable task) {
        // Twice around: a shard may have given to another one what it was to send.
        whenAnswered(server, 0, task);
    }

    private void whenAnswered(int server, int step, Runnable task) {
        int count = streams.size();
        if (step == 2 * count) {
            owner.execute(task);
            return;
        }
        Runnable next = () -> whenAnswered(server, step + 1, task);
        ShardStreams of = streams.get(step % count);
        broker.shard(step % count)
                .execute(() -> {
                    if (step < count) {
                        next.run();
                    } else {
                        of.whenAnswered(server, next);
                    }
                });
    }

    // ---------------------------------------------------------------- nodes that are not heard

    private void hear() {
        long nowMs = owner.nowMs();
        for (int server : shared().servers()) {
            OutStream stream = shared().shared(server);
            if (stream.isUp() && !stream.isAway()) {
                heardMs.put(server, nowMs);
            }
        }
    }

    private boolean isGivenUp(int server) {
        return owner.nowMs() - heardMs.getOrDefault(server, 0L) > waitMs;
    }

    private void arm() {
        if (!isArmed) {
            isArmed = true;
            owner.timers()
                    .arm(
                            new Timer() {
                                @Override
                                protected void onTimer(long nowMs) {
                                    isArmed = false;
                                    lookAtAll();
                                }
                            },
                            owner.nowMs() + LOOK_MS);
        }
    }

    private void lookAtAll() {
        hear();
        for (Map.Entry<Integer, Target> each : new ArrayList<>(targets.entrySet())) {
            Target of = each.getValue();
            if (of.missing.removeIf(server -> server != self && isGivenUp(server))) {
                look(each.getKey(), of);
            }
        }
        if (!targets.isEmpty()) {
            arm();
        }
    }
}
