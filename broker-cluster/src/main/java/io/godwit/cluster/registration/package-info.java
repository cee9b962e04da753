/**
 * One client id, one connection in the cluster. The leader of a client id's slot grants it; the
 * nodes that clients are connected to ask. Start with {@link EdgePlacement}, which asks, and {@link
 * LeaderRegistry}, which grants; {@link NodeRegistration} connects them to the links.
 */
@NullMarked
package io.godwit.cluster.registration;

import org.jspecify.annotations.NullMarked;
