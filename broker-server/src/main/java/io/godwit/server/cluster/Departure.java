package io.godwit.server.cluster;

import io.godwit.cluster.broker.BrokerCluster;
import io.godwit.core.node.Broker;
import io.godwit.core.session.Goodbye;
import io.godwit.server.config.ClusterConfig;
import java.util.BitSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a node leaves while others are there: it waits until balancers have noticed that it is not
 * ready, gives its durable sessions to nodes that have copies, sends its clients elsewhere, and
 * passes on what waits in shared groups. Sessions without copies, or without
 * cluster.failover-timeout, stay on its disk. Called by the thread that stops the broker.
 */
final class Departure {
    private static final Logger LOG = LoggerFactory.getLogger(Departure.class);

    /** Clients are sent away one after the other for this part of the time at most. */
    private static final long PACED_PART = 4;

    private static final long POLL_MS = 20;

    private final ClusterConfig config;
    private final Broker broker;
    private final BrokerCluster cluster;

    Departure(ClusterConfig config, Broker broker, BrokerCluster cluster) {
        this.config = config;
        this.broker = broker;
        this.cluster = cluster;
    }

    boolean isWanted() {
        return config.drain();
    }

    void awaitBalancers(long mostMs) {
        long waitMs = Math.min(config.drainWaitMs(), mostMs);
        LOG.info(
                "Leaving the cluster: /health/ready answers 503; clients are served for another {}"
                        + " ms",
                waitMs);
        try {
            Thread.sleep(waitMs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until other nodes lead all sessions of this one. */
    private boolean awaitDrained(long endNanos) throws InterruptedException {
        BitSet left = cluster.drainLeft();
        while ((left == null || !left.isEmpty()) && System.nanoTime() < endNanos) {
            Thread.sleep(POLL_MS);
            left = cluster.drainLeft();
        }
        boolean isDrained = left != null && left.isEmpty();
        if (!isDrained) {
            LOG.warn(
                    "Sessions of copy sets {} stay here: no other node has a whole copy, or took"
                            + " them over within stop.timeout",
                    left);
        }
        return isDrained;
    }

    void leave(long mostMs) {
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(mostMs);
        if (cluster.mayGive()) {
            cluster.drain(true);
        }
        CountDownLatch told = new CountDownLatch(1);
        cluster.stopFollowing();
        cluster.endRemoteClients(Goodbye.useAnother(config.serverReference()));
        broker.sendElsewhere(config.serverReference(), mostMs / PACED_PART, told::countDown);
        CountDownLatch over = new CountDownLatch(1);
        try {
            if (told.await(endNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                cluster.leave(over::countDown);
            }
            boolean isOver = over.await(endNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
            boolean isDrained = cluster.mayGive() && awaitDrained(endNanos);
            if (isOver) {
                LOG.info(
                        isDrained
                                ? "Left the cluster: other nodes lead all durable sessions"
                                : "Left the cluster: durable sessions stay here until the next"
                                        + " start");
                return;
            }
            LOG.warn(
                    "Not all messages of shared groups could be passed on to other nodes within"
                            + " stop.timeout: {} stay here, or the other nodes have not confirmed"
                            + " them. Durable sessions stay here until the next start",
                    cluster.groupMessagesLeft());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
