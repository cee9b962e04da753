package io.godwit.cluster.transport;

import io.godwit.cluster.ClusterRules;

/**
 * What all links of a node share.
 *
 * @param self this start of this node
 */
public record LinkContext(
        NodeStart self,
        LinkSettings settings,
        Handlers handlers,
        NodeClock clock,
        LinkCounters counters,
        ClusterRules rules) {}
