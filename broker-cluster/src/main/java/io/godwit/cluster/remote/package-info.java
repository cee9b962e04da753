/**
 * Remote connections: the byte streams of clients that are connected to another node than the
 * leader of their slot. The edge has the client's socket and passes bytes; the leader runs the
 * connection on them.
 *
 * <p>A channel is one such stream of bytes in both directions, between one shard of the edge and
 * one of the leader. Begin with {@code RemoteChannels} (edge) and {@code RemoteConnections}
 * (leader); {@code Records} has the layout of messages, {@code ReceiveWindow} the flow control,
 * {@code PeerPost} what happens when a link breaks; {@code RemoteNode} joins the shards of a node.
 */
@NullMarked
package io.godwit.cluster.remote;

import org.jspecify.annotations.NullMarked;
