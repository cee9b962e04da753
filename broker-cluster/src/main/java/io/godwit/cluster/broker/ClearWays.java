package io.godwit.cluster.broker;

import io.godwit.cluster.publish.ShardStreams;
import io.godwit.cluster.stream.StreamRecord;
import io.godwit.core.node.Broker;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.shard.Shard;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * Whether anything may still be on its way to a node that another one has sent before now: links
 * may be slow or broken, and what is not answered is sent again. Each node is asked, and tells when
 * the target has answered for all that.
 *
 * <pre>
 * who asks                 a node                              target
 *   -- ways asked ---------->  whatever it has sent before ------>
 *                              <------------------ all answered --
 *   <----------- ways told --
 * </pre>
 *
 * <p>What was redirected from a node that was taken over from is on its way until the new leader
 * has answered for it.
 *
 * <p>Whoever remembers a publish of QoS 2 that was sent from several nodes forgets it when all that
 * is on its way to any node is answered.
 *
 * <p>A member that is away is waited for until it is back, or is forgotten: it may go on to send
 * when it wakes up, and sends again what its store has when it starts anew.
 *
 * <p>On the shard that owns the topic index.
 */
final class ClearWays {
    /**
     * Questions about one node at the same time. More than one, since what a question waits for may
     * be held by who waits for the next one; not one for each publish.
     */
    private static final int OPEN_MAX = 16;

    private final int self;
    private final Broker broker;
    private final Shard owner;
    private final List<ShardStreams> streams;

    /** By server id. */
    private final Map<Integer, Target> targets = new LinkedHashMap<>(0);

    /** Not answered yet, by number. */
    private final Map<Long, Question> open = new LinkedHashMap<>(0);

    /** Server ids of the nodes that belong to the cluster, but for this one. */
    private final Set<Integer> members = new TreeSet<>();

    private long questions;

    /** Whether it is known who belongs to the cluster. */
    private boolean hasBegun;

    /**
     * A question, and what waits for its answers.
     *
     * @param to server id of the node that it is about
     */
    private record Question(int to, Set<Integer> missing, Map<Object, Runnable> waiting) {
        StreamRecord record(long number) {
            return new StreamRecord.WaysAsked(number, to);
        }
    }

    /** What is asked about the ways to one node. */
    private static final class Target {
        int open;

        /** What comes while so many questions are open, and waits for the next one. */
        Map<Object, Runnable> next = new LinkedHashMap<>();
    }

    /**
     * @param self server id of this node
     * @param streams of all shards
     */
    ClearWays(int self, Broker broker, List<ShardStreams> streams) {
        this.self = self;
        this.broker = broker;
        this.owner = broker.shard(TopicIndex.OWNER);
        this.streams = streams;
    }

    private ShardStreams shared() {
        return streams.get(TopicIndex.OWNER);
    }

    private void tell(int server, StreamRecord record) {
        shared().shared(server).add(record, null, false, false, false);
    }

    /**
     * At start: what was asked for until now is.
     *
     * @param members servers of the nodes that belong to the cluster, but for this one
     */
    void begin(Set<Integer> members) {
        this.members.addAll(members);
        hasBegun = true;
        new ArrayList<>(targets.entrySet()).forEach(each -> ask(each.getKey(), each.getValue()));
    }

    /**
     * Runs a task once everything is answered that was sent to a node before now.
     *
     * @param what it is: asked for again before that, it is done once
     */
    void whenAnswered(int to, Object what, Runnable task) {
        Target of = targets.computeIfAbsent(to, any -> new Target());
        of.next.put(what, task);
        if (hasBegun && of.open < OPEN_MAX) {
            ask(to, of);
        }
    }

    /**
     * Runs a task once every node has answered for all that was sent there before now: members that
     * are away, too, or when they do not belong to the cluster any more.
     */
    void whenAllClear(Object what, Runnable task) {
        Set<Integer> all = new TreeSet<>(shared().servers());
        all.addAll(members);
        all.add(self);
        int[] missing = {all.size()};
        Runnable clear =
                () -> {
                    if (--missing[0] == 0) {
                        task.run();
                    }
                };
        all.forEach(to -> whenAnswered(to, what, clear));
    }

    private void ask(int to, Target of) {
        // An answer may come that is to a question of an earlier start.
        long number = broker.context().startNumber() << 24 | ++questions & 0xFF_FFFF;
        Question asked = new Question(to, new TreeSet<>(), of.next);
        of.next = new LinkedHashMap<>();
        of.open++;
        open.put(number, asked);
        members.addAll(shared().servers());
        for (int server : members) {
            if (server != to && server != self) {
                asked.missing().add(server);
                tell(server, asked.record(number));
            }
        }
        asked.missing().add(self);
        if (to == self) {
            told(self, number);
        } else {
            whenOwnIsAnswered(to, () -> told(self, number));
        }
    }

    /**
     * A node has started anew: what an earlier start of it was asked, and has not told, it is
     * asked.
     */
    void onNewStart(int server) {
        open.forEach((number, asked) -> {
            if (asked.missing().contains(server)) {
                tell(server, asked.record(number));
            }
        });
    }

    // ---------------------------------------------------------------- what nodes say

    /** Another node asks. */
    void asked(int from, StreamRecord.WaysAsked asked) {
        StreamRecord answer = new StreamRecord.WaysTold(asked.question());
        whenOwnIsAnswered(asked.to(), () -> tell(from, answer));
    }

    /** A node has nothing on its way any more of what it had when it was asked. */
    void told(int from, long number) {
        Question asked = open.get(number);
        if (asked != null && asked.missing().remove(from)) {
            look(number, asked);
        }
    }

    private void look(long number, Question asked) {
        if (!asked.missing().isEmpty()) {
            return;
        }
        open.remove(number);
        Target of = Objects.requireNonNull(targets.get(asked.to()));
        of.open--;
        if (!of.next.isEmpty()) {
            ask(asked.to(), of);
        } else if (of.open == 0) {
            targets.remove(asked.to());
        }
        asked.waiting().values().forEach(Runnable::run);
    }

    /** Runs a task when a node has answered for all that this one has sent there before now. */
    private void whenOwnIsAnswered(int to, Runnable task) {
        // Twice around: a shard may have given to another one what it was to send.
        whenOwnIsAnswered(to, 0, task);
    }

    private void whenOwnIsAnswered(int to, int step, Runnable task) {
        int count = streams.size();
        if (step == 2 * count) {
            owner.execute(task);
            return;
        }
        Runnable next = () -> whenOwnIsAnswered(to, step + 1, task);
        ShardStreams of = streams.get(step % count);
        broker.shard(step % count)
                .execute(() -> {
                    if (step < count) {
                        next.run();
                    } else {
                        of.whenAnswered(to, next);
                    }
                });
    }

    /** A node does not belong to the cluster any more: nobody waits for what it has sent. */
    void forget(int server) {
        members.remove(server);
        for (Map.Entry<Long, Question> each : new ArrayList<>(open.entrySet())) {
            told(server, each.getKey());
        }
    }
}
