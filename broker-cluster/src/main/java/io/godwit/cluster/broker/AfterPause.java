package io.godwit.cluster.broker;

import io.godwit.cluster.publish.ShardStreams;
import io.godwit.cluster.routes.NodeRoutes;
import io.godwit.cluster.stream.StreamRule;
import io.godwit.cluster.stream.StreamRules;
import io.godwit.core.shard.PauseWatch;
import io.godwit.core.shard.Shard;
import io.godwit.core.time.Timer;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What follows when this node did not run for a while. The others may have gone on without it: they
 * may have sent a SUBACK that it has not heard of. So publishers wait here until each node that was
 * heard before has told its filters, and waits for this node again with its SUBACKs. SUBACKs wait
 * here for the same.
 *
 * <p>On the shard that owns the topic index. As a timer it goes off when that takes too long.
 */
final class AfterPause extends Timer {
    private static final Logger LOG = LoggerFactory.getLogger(AfterPause.class);

    private final PauseWatch watch;
    private final ClusterTimes times;
    private final StreamRules rules;
    private final NodeRoutes routes;
    private final Shard owner;
    private final ShardStreams streams;
    private final Runnable whenAwake;
    private final Runnable whenOver;

    /** Those that have not told yet. */
    private final Set<Integer> awaited = new TreeSet<>();

    /** The latest pause that was dealt with. */
    private long latest = Long.MIN_VALUE;

    private long questions;
    private long untilMs;

    /**
     * @param whenAwake called after each pause, before anything else
     * @param whenOver publishers may go on
     */
    AfterPause(
            PauseWatch watch,
            ClusterTimes times,
            StreamRules rules,
            NodeRoutes routes,
            Shard owner,
            ShardStreams streams,
            Runnable whenAwake,
            Runnable whenOver) {
        this.watch = watch;
        this.times = times;
        this.rules = rules;
        this.routes = routes;
        this.owner = owner;
        this.streams = streams;
        this.whenAwake = whenAwake;
        this.whenOver = whenOver;
    }

    /** From now on pauses are noticed. */
    void begin() {
        watch.begin(
                owner.nowMs(), (pause, lengthMs) -> owner.execute(() -> awake(pause, lengthMs)));
    }

    /** Whether a pause was noticed that {@link #begin}'s task has yet to be run for. */
    boolean isDue() {
        return watch.lastPause() > latest;
    }

    private void awake(long pause, long lengthMs) {
        // Another shard's word of an earlier one may come later.
        latest = Math.max(latest, pause);
        whenAwake.run();
        awaited.clear();
        questions++;
        if (rules.holds(StreamRule.ASKS_AFTER_PAUSE)) {
            askAll();
        }
        if (awaited.isEmpty()) {
            over();
            return;
        }
        LOG.warn(
                "This node was paused for {} ms. Publishers wait until it knows the subscriptions"
                        + " made at other nodes meanwhile",
                lengthMs);
        // Links may have to open: it is as at a start. The turn may be older than the pause.
        untilMs = Math.max(untilMs, pause + lengthMs + times.startWaitMs());
        owner.timers().cancel(this);
        owner.timers().arm(this, untilMs);
    }

    private void askAll() {
        for (int server : streams.servers()) {
            // Who was away already goes on without this node, and this one without it.
            if (!streams.shared(server).isAway()) {
                awaited.add(server);
                routes.ask(server, questions);
            }
        }
    }

    /**
     * A node has told its filters. Those that have not are waited for all the same: one that has
     * died meanwhile may have sent a SUBACK before.
     *
     * @param question that it answers
     */
    void told(int server, long question) {
        if (question == questions && awaited.remove(server) && awaited.isEmpty()) {
            over();
        }
    }

    /** Nobody waits for nodes that do not belong to the cluster any more. */
    void forget(Set<Integer> servers) {
        if (awaited.removeAll(servers) && awaited.isEmpty()) {
            over();
        }
    }

    @Override
    protected void onTimer(long nowMs) {
        if (isDue()) {
            return; // Its time has passed in the next pause.
        }
        LOG.warn(
                "Publishers continue, but this node does not know the subscriptions made at {}"
                        + " while it was paused",
                awaited);
        awaited.clear();
        over();
    }

    private void over() {
        owner.timers().cancel(this);
        watch.caughtUp(latest);
        routes.goOn();
        whenOver.run();
    }
}
