package io.godwit.cluster.membership;

import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.core.operation.ByteWriter;

/** A message on its way, as bytes. */
record Written(MessageType type, byte[] body) implements Outgoing {
    @Override
    public int bytes() {
        return body.length;
    }

    @Override
    public void write(ByteWriter to, int protocol) {
        to.raw(body);
    }
}
