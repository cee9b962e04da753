package io.godwit.cluster.registration;

import io.godwit.cluster.transport.NodeStart;

/**
 * The leader of a slot under one epoch.
 *
 * @param changes number of leader changes of the slot. With the leader's start and server id it is
 *     the epoch
 */
public record Leader(NodeStart node, long changes) {}
