package io.godwit.core.session;

import io.godwit.core.load.ShardLoad;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.queue.ClientQueue;
import io.godwit.core.shard.Shard;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * While memory is short, publishers wait for subscribers: those of one shard that hold more than
 * their part, and neither acknowledge anything nor take a byte for {@code overload.stuck-time}, are
 * disconnected. What is durable goes on to the disk, and out of memory.
 */
public final class StuckSubscribers {
    private static final long LOOK_MS = 1_000;

    /** What is in flight to a client that is offline stays in memory up to this. */
    private static final long IN_FLIGHT_WORTH_IT = 16 << 10;

    /** Sessions whose messages in flight are looked for on the disk in one tick. */
    private static final int LOOKED_FOR = 4;

    private final Shard shard;
    private final ShardLoad load;
    private final SessionList sessions;
    private final FullSessions full;
    private final SubscribersBehind behind;
    private final long stuckMs;

    /** The sessions that have something in memory, as they were when they last made progress. */
    private final Map<Session, Seen> seen = new HashMap<>();

    /** Offline, with something in flight that may leave memory. */
    private final ArrayDeque<Session> offline = new ArrayDeque<>(0);

    private long lookedAtMs;
    private boolean looking;

    private record Seen(ClientLink link, int acknowledged, long untaken, long sinceMs) {
        Seen since(long ms) {
            return new Seen(link, acknowledged, untaken, ms);
        }
    }

    public StuckSubscribers(Shard shard, ShardLoad load, SessionContext sessions, long stuckMs) {
        this.full = sessions.fullSessions();
        this.behind = sessions.subscribersBehind();
        this.shard = shard;
        this.load = load;
        this.sessions = sessions.sessions();
        this.stuckMs = stuckMs;
    }

    public void onTick(long nowMs) {
        if (!load.isMemoryShort()) {
            seen.clear();
            offline.clear();
            return;
        }
        for (int i = 0; i < LOOKED_FOR && !offline.isEmpty(); i++) {
            leaveMemory(offline.remove());
        }
        if (!looking && offline.isEmpty() && nowMs - lookedAtMs >= LOOK_MS) {
            lookedAtMs = nowMs;
            looking = true;
            seen.keySet().removeIf(session -> session.owner() != shard.index());
            sessions.walk(this::look, () -> looking = false);
        }
    }

    private void leaveMemory(Session session) {
        ClientQueue queue = session.queueIfMade();
        if (session.owner() == shard.index() && !session.isOnline() && queue != null) {
            queue.inFlightLeavesMemory();
        }
    }

    private void look(Session session) {
        ClientLink link = session.connection();
        ClientQueue queue = session.queueIfMade();
        if (queue != null
                && link == null
                && session.isDurable()
                && queue.inFlightBytes() > IN_FLIGHT_WORTH_IT) {
            offline.add(session);
        }
        if (queue == null
                || link == null
                || !link.isConnected()
                || !load.isMemoryShort()
                || !full.isFull(session)) {
            seen.remove(session);
            return;
        }
        Seen before = seen.get(session);
        long nowMs = shard.nowMs();
        Seen now = new Seen(link, queue.acknowledged(), link.untakenBytes(), nowMs);
        if (before == null) {
            // Its publishers may have waited for it before memory was short.
            seen.put(session, now.since(nowMs - behind.quietMs(session)));
        } else if (before.link() != link
                || before.acknowledged() != now.acknowledged()
                || before.untaken() != now.untaken()) {
            seen.put(session, now);
        } else if (nowMs - before.sinceMs() >= stuckMs) {
            seen.remove(session);
            shard.counters().increment(Metric.CLOSED_STUCK);
            link.fail(ReasonCode.QUOTA_EXCEEDED, "memory is short, and nothing was acknowledged");
        }
    }
}
