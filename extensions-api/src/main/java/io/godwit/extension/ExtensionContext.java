package io.godwit.extension;

import io.godwit.extension.service.ClientService;
import io.godwit.extension.service.ClientSetups;
import io.godwit.extension.service.ClusterInfo;
import io.godwit.extension.service.ConnectionAttributes;
import io.godwit.extension.service.PublishService;
import io.godwit.extension.service.QueueService;
import io.godwit.extension.service.RetainedService;
import io.godwit.extension.service.SubscriptionService;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Everything that the broker offers to one extension; it knows which one is asking. Any thread may
 * use it, from {@link Extension#start} until {@link Extension#stop} has returned.
 */
public interface ExtensionContext {
    /** Says who this extension is, and where its folder is. */
    ExtensionInfo info();

    /** Says which broker this is. */
    ServerInfo server();

    /**
     * Reads the extension's settings, {@code extensions.<id>.config} of the broker's configuration
     * or {@code config.yaml} in the extension's folder, into a record whose components are
     * documented by {@link Setting}.
     *
     * @throws ConfigurationException at least one value is missing, unknown or not allowed; names
     *     each of them with its key, its value and what is allowed
     */
    <C extends Record> C configuration(Class<C> type) throws ConfigurationException;

    /** Takes what the extension is to be asked and told. */
    Registrations registrations();

    /** Runs tasks of the extension in threads of its own. Shut down when the extension stops. */
    ScheduledExecutorService executor();

    /** Publishes messages that no client has sent. */
    PublishService publishes();

    /** Shows how the extension is doing. */
    HealthReport health();

    /**
     * Takes meters of the extension, which are on {@code /metrics} until it stops: {@code
     * godwit_extension_own_} stands before their names, and they have a tag {@code extension}. It
     * has 1 000 series at most: meters beyond that do nothing. What gauges ask for is asked in a
     * thread of the {@link #executor() executor}.
     */
    MeterRegistry meters();

    /** Reads and changes retained messages. */
    RetainedService retained();

    /**
     * Reads the extension's settings as {@link #configuration(Class)} does, and has a listener told
     * when they are others: after {@code godwit reload}, or when {@code config.yaml} has changed.
     * Without a listener new settings count when the extension is replaced.
     *
     * @throws ConfigurationException as above
     * @throws IllegalStateException there is a listener already
     */
    <C extends Record> C configuration(Class<C> type, ConfigurationListener<C> listener)
            throws ConfigurationException;

    /** Shows clients and sessions of all nodes, and ends them. */
    ClientService clients();

    /** Shows subscriptions of sessions of all nodes, and changes them. */
    SubscriptionService subscriptions();

    /** Shows the queues of sessions of all nodes. */
    QueueService queues();

    /** Shows the nodes of the cluster. */
    ClusterInfo cluster();

    /** Changes what the extension has set up for single clients. */
    ClientSetups setups();

    /** Keeps notes about connections. */
    ConnectionAttributes attributes();
}
