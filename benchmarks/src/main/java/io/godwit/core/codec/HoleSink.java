package io.godwit.core.codec;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.PublishFrame;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.infra.Blackhole;

/** Stands where the router stands, and drops everything. */
final class HoleSink implements PacketSink {
    /** Set before each use. */
    @Nullable Blackhole hole;

    @Override
    public void onPublish(PublishFrame frame) {
        Blackhole into = hole();
        into.consume(frame.topic);
        into.consume(frame.packetId);
        into.consume(frame.payloadIndex);
    }

    @Override
    public void onAck(PacketType type, int packetId, int reasonCode) {
        Blackhole into = hole();
        into.consume(type);
        into.consume(packetId);
        into.consume(reasonCode);
    }

    @Override
    public void onPacket(Packet packet) {
        hole().consume(packet);
    }

    @Override
    public boolean wantsMore() {
        return true;
    }

    private Blackhole hole() {
        Blackhole into = hole;
        if (into == null) {
            throw new IllegalStateException("no hole");
        }
        return into;
    }
}
