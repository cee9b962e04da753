/**
 * Messages between nodes: what each room of the cluster hands to another node, and gets from it.
 *
 * <p>A room offers an {@code Outgoing} to a {@code PeerLink}, and is called as the {@code
 * MessageHandler} of its {@code MessageType}s. Below that one thread per peer packs what waits into
 * frames, and a {@code Transport} carries them: JGroups, the simulator's network, or a test's. A
 * transport is believed nothing but this: what arrives at all arrives whole and in the order in
 * which it was sent. Whether a peer is there, what of the former link it has and what may be sent
 * is ours: names of links, positions, credits and time-outs.
 *
 * <p>Begin with {@code PeerLink}.
 */
@NullMarked
package io.godwit.cluster.transport;

import org.jspecify.annotations.NullMarked;
