package io.godwit.testkit.spi;

/** Starts brokers for tests. The kit finds it by {@link java.util.ServiceLoader}. */
public interface BrokerStarter {
    /**
     * Starts a broker; returns when it accepts clients.
     *
     * @throws BrokerNotStarted says why not; nothing is left open
     */
    StartedBroker start(BrokerPlan plan) throws BrokerNotStarted;
}
