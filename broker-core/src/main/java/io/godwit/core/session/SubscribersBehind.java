package io.godwit.core.session;

import io.godwit.core.load.ShardLoad;
import io.godwit.core.metrics.Metric;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The transient sessions of one shard for which more waits than half of what may. Who publishes to
 * none but such at QoS 1 or 2 waits, before anything has to be discarded, until some of it is gone.
 *
 * <p>Nobody waits for one that takes too little: less than an eighth of what may wait for it in
 * {@code overload.stuck-time}. What is too much for it is discarded, as if nobody had waited, until
 * it takes more. A shorter time would do for most, but a client may acknowledge all of its window
 * together, and until then its socket may take what it takes into buffers, and then nothing.
 *
 * <p>Time is counted in looks, so that a process that did not run has waited for nobody.
 */
public final class SubscribersBehind {
    /** The part of what may wait at which nobody has to wait any more. */
    private static final int EASED_SIXTEENTHS = 7;

    /** Looks of one tick: a fraction of a millisecond. */
    private static final int LOOKS = 1_000;

    /** The part of what may wait that is enough: one in so many. */
    private static final int ENOUGH_SHARE = 8;

    /** Publishers that wait are looked at again at once, but no more often than this. */
    private static final long TELL_MS = 5;

    /** A session as it is seen here. */
    interface Behind {
        int owner();

        boolean isBehind();

        void behind(boolean is);

        /** Whether more waits than this part of what may. */
        boolean isAbove(int sixteenths);

        /** Messages that may wait for it. */
        long messagesMax();

        /** Bytes that may wait for it. */
        long bytesMax();

        /** Changes with each acknowledgement of its client. */
        int acknowledged();

        /** Bytes that its client has acknowledged so far. */
        long acknowledgedBytes();

        /** Bytes that its socket has taken so far: some at once, and then none for long. */
        long takenBytes();
    }

    /** What one had taken when its window began. */
    private static final class Pace {
        private boolean isWaitedFor;
        private int looks;
        private int acknowledged;
        private long acknowledgedBytes;
        private long takenBytes;

        /** Looks since it has taken anything. */
        private int quietLooks;

        private int lastAcknowledged;
        private long lastTakenBytes;

        void look(Behind session) {
            int acknowledgedNow = session.acknowledged();
            long takenNow = session.takenBytes();
            quietLooks =
                    acknowledgedNow == lastAcknowledged && takenNow == lastTakenBytes
                            ? quietLooks + 1
                            : 0;
            lastAcknowledged = acknowledgedNow;
            lastTakenBytes = takenNow;
            looks++;
        }

        void begin(Behind session) {
            looks = 0;
            acknowledged = session.acknowledged();
            acknowledgedBytes = session.acknowledgedBytes();
            takenBytes = session.takenBytes();
        }
    }

    private final Shard shard;
    private final ShardLoad load;

    /** Looks, one a tick, in which it has to take enough. */
    private final int window;

    private final Runnable whenEased;
    private final Map<Behind, Pace> paces = new LinkedHashMap<>(0);
    private SubscribersBehind[] peers = new SubscribersBehind[0];
    private long toldMs;

    /**
     * @param stuckMs how long publishers wait for one that takes too little
     * @param whenEased lets publishers go on that waited; called on the shard's thread
     */
    public SubscribersBehind(Shard shard, ShardLoad load, long stuckMs, Runnable whenEased) {
        this.shard = shard;
        this.load = load;
        this.window = (int) Math.max(1, stuckMs / Shard.TICK_MS);
        this.whenEased = whenEased;
    }

    /** Called once, with those of all shards, before anything else. */
    public void connect(SubscribersBehind[] all) {
        peers = all;
    }

    /** More waits for it than half of what may. */
    void onBehind(Behind session) {
        if (session.isBehind() || paces.containsKey(session)) {
            return;
        }
        Pace pace = new Pace();
        pace.begin(session);
        paces.put(session, pace);
        waitFor(session, pace);
    }

    /** One that is behind has taken something. */
    void onTaken(Behind session) {
        if (session.isAbove(EASED_SIXTEENTHS)) {
            return;
        }
        Pace pace = paces.remove(session);
        if (pace != null) {
            waitNoMore(session, pace);
            tellEased();
        }
    }

    /** For how long it has taken nothing, as far as it was behind; 0 when it was not. */
    long quietMs(Behind session) {
        Pace pace = paces.get(session);
        return pace == null ? 0 : pace.quietLooks * Shard.TICK_MS;
    }

    public void onTick() {
        for (int looks = Math.min(paces.size(), LOOKS); looks > 0; looks--) {
            Map.Entry<Behind, Pace> first = paces.entrySet().iterator().next();
            Behind session = first.getKey();
            Pace pace = first.getValue();
            paces.remove(session);
            if (session.owner() != shard.index()) {
                forget(pace);
            } else if (!session.isAbove(EASED_SIXTEENTHS)) {
                waitNoMore(session, pace);
            } else {
                paces.put(session, pace);
                look(session, pace);
            }
        }
    }

    private void look(Behind session, Pace pace) {
        pace.look(session);
        if (hasTakenEnough(session, pace)) {
            waitFor(session, pace);
            pace.begin(session);
        } else if (pace.looks >= window) {
            if (pace.isWaitedFor) {
                shard.counters().increment(Metric.SUBSCRIBERS_TOO_SLOW);
                waitNoMore(session, pace);
            }
            pace.begin(session);
        }
    }

    private boolean hasTakenEnough(Behind session, Pace pace) {
        int messages = session.acknowledged() - pace.acknowledged;
        long bytes =
                Math.max(
                        session.acknowledgedBytes() - pace.acknowledgedBytes,
                        session.takenBytes() - pace.takenBytes);
        return messages > 0 && messages >= session.messagesMax() / ENOUGH_SHARE
                || bytes > 0 && bytes >= session.bytesMax() / ENOUGH_SHARE;
    }

    private void waitFor(Behind session, Pace pace) {
        if (!pace.isWaitedFor) {
            pace.isWaitedFor = true;
            session.behind(true);
            load.behind(1);
            shard.counters().increment(Metric.SUBSCRIBERS_BEHIND);
        }
    }

    private void waitNoMore(Behind session, Pace pace) {
        session.behind(false);
        forget(pace);
    }

    private void forget(Pace pace) {
        if (pace.isWaitedFor) {
            pace.isWaitedFor = false;
            load.behind(-1);
        }
    }

    /** The next tick looks at those who waited in any case. */
    private void tellEased() {
        if (shard.nowMs() - toldMs >= TELL_MS) {
            toldMs = shard.nowMs();
            for (int i = 0; i < peers.length; i++) {
                shard.send(i, new Eased(peers[i]));
            }
        }
    }

    /** Tells every shard that a subscriber that was behind is not any more. */
    private static final class Eased extends Mail {
        private final SubscribersBehind to;

        Eased(SubscribersBehind to) {
            this.to = to;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            to.whenEased.run();
            return true;
        }
    }
}
