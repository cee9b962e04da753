package io.godwit.cluster.transport;

import io.godwit.core.operation.ByteReader;

/**
 * What a room does with messages from other nodes. Called by one thread at a time for one link, in
 * the order of each class, between {@link PeerListener#onUp} and {@link PeerListener#onDown} of the
 * link; links of different peers may call at the same moment. It does not wait: work for a shard is
 * mail.
 */
public interface MessageHandler {
    /**
     * A message has come.
     *
     * @param body may be read until this returns; a payload is copied out of it
     * @param length of the body in bytes
     * @return true when it is done with, so that the peer may send as much again; false when it
     *     keeps memory until {@link PeerLink#taken} is called
     * @throws IndexOutOfBoundsException when the body is not what the type says: the link ends
     */
    boolean onMessage(PeerLink from, MessageType type, ByteReader body, int length);

    /**
     * The messages that came together are handled: what was gathered for shards is to be posted
     * now, with one wake-up for all of it.
     */
    default void onHandled(PeerLink from) {}
}
