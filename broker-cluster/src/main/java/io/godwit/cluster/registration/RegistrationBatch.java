package io.godwit.cluster.registration;

import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.operation.ByteWriter;

/**
 * Registration messages that a shard has for one peer at the end of a turn.
 *
 * @param shard that sends them
 * @param body as {@link RegistrationCodec} has it
 */
record RegistrationBatch(int shard, byte[] body) implements Outgoing {
    static final MessageType TYPE = new MessageType(80, TrafficClass.CONTROL, "registration");

    @Override
    public MessageType type() {
        return TYPE;
    }

    @Override
    public int bytes() {
        return body.length;
    }

    @Override
    public void write(ByteWriter to, int protocol) {
        to.raw(body);
    }
}
