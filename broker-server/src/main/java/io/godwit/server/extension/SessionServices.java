package io.godwit.server.extension;

import io.godwit.extension.service.ClientService;
import io.godwit.extension.service.ClusterInfo;
import io.godwit.extension.service.QueueService;
import io.godwit.extension.service.SubscriptionService;

/**
 * Holds what shows one extension the nodes and their sessions.
 *
 * @param end run when the extension has stopped
 */
public record SessionServices(
        ClientService clients,
        SubscriptionService subscriptions,
        QueueService queues,
        ClusterInfo cluster,
        Runnable end) {}
