package io.godwit.extension.service;

import io.godwit.extension.packet.Subscription;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Shows the subscriptions of sessions of all nodes of the cluster, and changes them. All stages
 * complete with {@link ServiceFailedException} when there is no answer.
 */
public interface SubscriptionService {
    /**
     * Reads the subscriptions of a session, by filter. Their retain handling is not known any more,
     * and 0.
     *
     * @return empty: there is no session
     */
    CompletionStage<Optional<List<Subscription>>> of(String clientId);

    /**
     * Subscribes for a client, connected or not, as its own SUBSCRIBE would: durably if its session
     * is, within its limits, and with retained messages as the retain handling says. A client that
     * is not connected gets these when it comes, unless its node restarts before. Its rules,
     * interceptors and authorizers are not asked.
     *
     * @param subscriptions 1 to 100
     * @return for each the reason code of a SUBACK: the QoS that is granted, or 0x80..0xFF; fails
     *     with REFUSED when there is no session
     */
    CompletionStage<List<Integer>> add(String clientId, List<Subscription> subscriptions);

    /**
     * Unsubscribes for a client, connected or not, as its own UNSUBSCRIBE would.
     *
     * @param topicFilters 1 to 100
     * @return for each the reason code of an UNSUBACK: 0, or 0x11 when there was no such
     *     subscription; fails with REFUSED when there is no session
     */
    CompletionStage<List<Integer>> remove(String clientId, List<String> topicFilters);

    /**
     * Reads the subscriptions of all sessions that match a topic, those of shared groups, too, node
     * by node, as {@link ClientService#page} reads sessions: a page looks at some sessions, so it
     * may have no items although more follow.
     *
     * @param topic without wildcards
     * @param from {@link Page#next} of the page before; empty: from the beginning
     */
    CompletionStage<Page<Subscriber>> subscribers(String topic, Optional<String> from);

    /** A subscription, and whose it is. */
    record Subscriber(String clientId, Subscription subscription) {}
}
