package io.godwit.server.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.connection.CloseCause;
import io.godwit.core.connection.Wire;
import io.godwit.core.connection.WireListener;
import io.godwit.core.metrics.Counters;
import io.godwit.core.metrics.Metric;
import io.godwit.server.config.ListenerConfig;
import io.godwit.server.logging.GroupedLog;
import io.godwit.server.loop.EventLoops;
import io.godwit.server.loop.Transport;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An OutOfMemoryError costs the connection, unless others may have been met by it. */
class NoMemoryWireTest {
    private static final OutOfMemoryError PLANTED = new OutOfMemoryError("planted by the test");

    private final List<Throwable> faults = new ArrayList<>();
    private final EventLoops loops =
            new EventLoops(1, Transport.NIO, (shard, fault) -> faults.add(fault));
    private final Counters counters = new Counters();
    private final EmbeddedChannel channel =
            new EmbeddedChannel(
                    new ChannelWire(
                            new ListenerShard(
                                    "test",
                                    ListenerConfig.Type.TCP,
                                    loops.get(0),
                                    new WithoutMemory(),
                                    new ListenerAdmission(
                                            new Admission(10, 10), 0, 0, System::nanoTime),
                                    WriteBufferWaterMark.DEFAULT,
                                    new OutboundBacklogs(loops, 1 << 20).of(0),
                                    new GroupedLog(),
                                    new GroupedLog(),
                                    new GroupedLog(),
                                    new GroupedLog(),
                                    null)));

    @AfterEach
    void stop() {
        assertThat(loops.stop(10_000)).isTrue();
    }

    @Test
    void in_a_handler_before_ours_it_costs_the_connection() {
        channel.pipeline().fireExceptionCaught(PLANTED);
        assertThat(channel.isOpen()).isFalse();
        assertThat(counters.total(Metric.CLOSED_MEMORY)).isEqualTo(1);
        assertThat(faults).isEmpty();
    }

    @Test
    void in_a_shard_it_is_the_nodes() {
        channel.writeInbound(Unpooled.buffer().writeByte(1));
        assertThat(faults).containsExactly(PLANTED);
        assertThat(counters.total(Metric.FAULTS)).isZero();
    }

    private final class WithoutMemory implements Inlet {
        @Override
        public WireListener open(Wire wire) {
            return new WireListener() {
                @Override
                public void onBytes(ByteBuf in) {
                    throw PLANTED;
                }

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
            return counters;
        }
    }
}
