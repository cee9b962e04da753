package io.godwit.core.simulation;

import io.godwit.core.codec.InboundState;
import io.godwit.core.codec.PacketDecoder;
import io.godwit.core.codec.PacketSink;
import io.godwit.core.codec.Role;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.function.IntConsumer;

/** Reads what the broker writes to one client, whether it arrives or not. */
final class Wiretap implements PacketSink {
    private final InboundState state = new InboundState(1 << 28);
    private final PacketDecoder decoder = new PacketDecoder(Role.CLIENT);
    private final Bytes undecoded = new Bytes();
    private final IntConsumer published;

    /**
     * @param published takes the number of each message that is sent at QoS 2
     */
    Wiretap(ProtocolVersion version, IntConsumer published) {
        state.version = version;
        this.published = published;
    }

    void written(ByteBuf bytes) {
        undecoded.add(bytes.duplicate());
        ByteBuf in = Unpooled.wrappedBuffer(undecoded.take(Integer.MAX_VALUE));
        decoder.decode(in, state, this);
        undecoded.add(in);
    }

    @Override
    public void onPublish(PublishFrame frame) {
        if (frame.qos == 2) {
            published.accept(Payload.number(frame.copyPayload()));
        }
    }

    @Override
    public void onAck(PacketType type, int packetId, int reasonCode) {}

    @Override
    public void onPacket(Packet packet) {}

    @Override
    public boolean wantsMore() {
        return true;
    }
}
