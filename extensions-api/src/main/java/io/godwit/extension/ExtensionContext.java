package io.godwit.extension;

import io.godwit.extension.service.ClientSetups;
import io.godwit.extension.service.ConnectionAttributes;
import io.godwit.extension.service.PublishService;
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

    /** Changes what the extension has set up for single clients. */
    ClientSetups setups();

    /** Keeps notes about connections. */
    ConnectionAttributes attributes();
}
