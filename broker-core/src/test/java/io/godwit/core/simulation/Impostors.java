package io.godwit.core.simulation;

import io.godwit.core.codec.PacketEncoder;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ProtocolVersion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/** Connections with the client id of another, that say CONNECT and nothing more. */
final class Impostors {
    private final SimulatedNode node;
    private final List<Link> links = new ArrayList<>();

    Impostors(SimulatedNode node) {
        this.node = node;
    }

    /** A connection that says CONNECT and nothing more. */
    void come(SimulatedClient of, Packet.Connect connect) {
        Link.Endpoint silent =
                new Link.Endpoint() {
                    @Override
                    public ProtocolVersion version() {
                        return connect.version();
                    }

                    @Override
                    public void onBytes(byte[] bytes) {}

                    @Override
                    public void onClosed() {}
                };
        node.count(Happening.TWO_CONNECTS_AT_ONCE);
        node.note("c%s has an impostor", of.index);
        Link link = new Link(node, of.shard(), silent);
        links.add(link);
        ByteBuf bytes = Unpooled.buffer();
        PacketEncoder.encode(connect, connect.version(), bytes);
        link.send(bytes);
        node.scheduler()
                .in(node.random().nextInt(200_000), () -> link.cut(node.random().nextInt(50_000)));
    }

    void close() {
        links.forEach(Link::closeByClient);
    }
}
