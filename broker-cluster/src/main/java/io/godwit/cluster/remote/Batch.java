package io.godwit.cluster.remote;

import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.core.operation.ByteWriter;

/**
 * A message that a shard has gathered for one target at another node.
 *
 * @param from what it goes out by: a broken link gives it back there
 * @param content written to no more
 */
record Batch(PeerPost from, MessageType type, ByteWriter content) implements Outgoing {
    @Override
    public int bytes() {
        return content.length();
    }

    @Override
    public void write(ByteWriter to, int protocol) {
        to.range(content.array(), 0, content.length());
    }
}
