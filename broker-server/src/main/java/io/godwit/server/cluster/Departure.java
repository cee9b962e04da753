package io.godwit.server.cluster;

import io.godwit.cluster.broker.BrokerCluster;
import io.godwit.core.node.Broker;
import io.godwit.core.session.Goodbye;
import io.godwit.server.config.ClusterConfig;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a node leaves while others are there: it waits until balancers have noticed that it is not
 * ready, sends its clients elsewhere, and passes on what waits in shared groups. Durable sessions
 * stay on its disk. Called by the thread that stops the broker.
 */
final class Departure {
    private static final Logger LOG = LoggerFactory.getLogger(Departure.class);

    /** Clients are sent away one after the other for this part of the time at most. */
    private static final long PACED_PART = 4;

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

    void leave(long mostMs) {
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(mostMs);
        CountDownLatch told = new CountDownLatch(1);
        cluster.stopFollowing();
        cluster.endRemoteClients(Goodbye.useAnother(config.serverReference()));
        broker.sendElsewhere(config.serverReference(), mostMs / PACED_PART, told::countDown);
        CountDownLatch over = new CountDownLatch(1);
        try {
            if (told.await(endNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                cluster.leave(over::countDown);
            }
            if (over.await(endNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                LOG.info("Left the cluster: durable sessions stay here until the next start");
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
