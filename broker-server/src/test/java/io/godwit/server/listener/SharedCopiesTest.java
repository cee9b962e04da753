package io.godwit.server.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.connection.CloseCause;
import io.godwit.core.connection.Wire;
import io.godwit.core.connection.WireListener;
import io.godwit.core.metrics.Counters;
import io.godwit.server.config.ListenerConfig;
import io.godwit.server.logging.GroupedLog;
import io.godwit.server.loop.EventLoops;
import io.godwit.server.loop.Transport;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A payload that many connections are slow to take stands in network buffers once. */
class SharedCopiesTest {
    private static final int CHANNELS = 100;
    private static final int PAYLOADS = 20;
    private static final int PAYLOAD_BYTES = 20_000;
    private static final long OUTBOUND_BYTES = 64 << 20;

    private final EventLoops loops =
            new EventLoops(
                    1,
                    Transport.NIO,
                    (shard, fault) -> {
                        throw new AssertionError(fault);
                    });

    /** Looked at by this thread alone. */
    private final OutboundBacklog backlog =
            new OutboundBacklog(new OutboundBacklogs(loops, OUTBOUND_BYTES), loops.get(0));

    private final List<Wire> wires = new ArrayList<>();
    private final Admission admission = new Admission(CHANNELS, CHANNELS);

    @AfterEach
    void stop() {
        assertThat(loops.stop(10_000)).isTrue();
    }

    private EmbeddedChannel channel(ListenerConfig.Type type) {
        return new EmbeddedChannel(
                new ChannelWire(
                        new ListenerShard(
                                "test",
                                type,
                                loops.get(0),
                                new Wires(),
                                new ListenerAdmission(admission, 0, 0, System::nanoTime),
                                new WriteBufferWaterMark(512 << 10, 1 << 20),
                                backlog,
                                new GroupedLog(),
                                new GroupedLog(),
                                new GroupedLog(),
                                new GroupedLog(),
                                null)));
    }

    private long counted() {
        backlog.recount();
        return backlog.bytes();
    }

    /** Each channel is written all payloads, and takes none. */
    private List<EmbeddedChannel> written(ListenerConfig.Type type) {
        List<EmbeddedChannel> channels = new ArrayList<>();
        for (int i = 0; i < CHANNELS; i++) {
            channels.add(channel(type));
        }
        for (int i = 0; i < PAYLOADS; i++) {
            byte[] payload = new byte[PAYLOAD_BYTES];
            payload[1] = (byte) i;
            for (Wire wire : wires) {
                wire.write(wire.allocate(1).writeByte(i));
                wire.write(payload, 1, PAYLOAD_BYTES - 1);
            }
        }
        return channels;
    }

    @Test
    void it_counts_once_and_a_little_for_each_connection() {
        List<EmbeddedChannel> channels = written(ListenerConfig.Type.TCP);
        long most = PAYLOADS * (PAYLOAD_BYTES + CHANNELS * 1_000L);
        assertThat(counted()).isBetween((long) PAYLOADS * PAYLOAD_BYTES, most);
        assertThat(wires.getFirst().pendingBytes()).isGreaterThan(PAYLOADS * (PAYLOAD_BYTES - 1L));

        channels.forEach(EmbeddedChannel::flush);
        for (EmbeddedChannel channel : channels) {
            for (int i = 0; i < PAYLOADS; i++) {
                assertThat(bytes(channel)).containsExactly(i);
                assertThat(bytes(channel)).hasSize(PAYLOAD_BYTES - 1).startsWith(i);
            }
        }
        assertThat(backlog.copies().size()).isZero();
    }

    @Test
    void who_leaves_gives_back_its_own_part_and_the_last_the_copy() {
        List<EmbeddedChannel> channels = written(ListenerConfig.Type.TCP);
        channels.subList(1, CHANNELS).forEach(EmbeddedChannel::close);
        assertThat(backlog.copies().size()).isEqualTo(PAYLOADS);
        assertThat(counted())
                .isBetween((long) PAYLOADS * PAYLOAD_BYTES, PAYLOADS * (PAYLOAD_BYTES + 1_000L));
        channels.getFirst().close();
        assertThat(backlog.copies().size()).isZero();
        assertThat(counted()).isZero();
    }

    @Test
    void where_each_socket_takes_bytes_of_its_own_they_all_count() {
        List<EmbeddedChannel> channels = written(ListenerConfig.Type.TLS);
        assertThat(counted()).isGreaterThan((long) CHANNELS * PAYLOADS * (PAYLOAD_BYTES - 1));
        channels.forEach(EmbeddedChannel::close);
        assertThat(counted()).isZero();
    }

    private static byte[] bytes(EmbeddedChannel channel) {
        ByteBuf next = channel.readOutbound();
        byte[] bytes = ByteBufUtil.getBytes(next);
        next.release();
        return bytes;
    }

    private final class Wires implements Inlet {
        @Override
        public WireListener open(Wire wire) {
            wires.add(wire);
            return new WireListener() {
                @Override
                public void onBytes(ByteBuf in) {}

                @Override
                public void onWritable() {}

                @Override
                public void onOverdrawn() {}

                @Override
                public void onClosed() {}
            };
        }

        @Override
        public void handshakeFailed(
                CloseCause cause, String address, String listener, String why) {}

        @Override
        public Counters counters() {
            return new Counters();
        }
    }
}
