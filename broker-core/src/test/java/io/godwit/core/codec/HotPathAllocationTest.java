package io.godwit.core.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What happens for each message makes no garbage. */
class HotPathAllocationTest {
    private static final int ROUNDS = 2_000;
    private static final int[] NO_IDS = new int[0];

    /** Less than the smallest object in each round. */
    private static final long BYTES_MAX = 12L * ROUNDS;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** A leak detector would note each access. */
    private final ByteBuf buffer = new UnpooledByteBufAllocator(true, true).directBuffer();

    private final ProtocolVersion[] versions = ProtocolVersion.values();
    private final CountingSink sink = new CountingSink();

    @AfterEach
    void release() {
        buffer.release();
    }

    @Test
    void reading_publishes_of_known_topics_and_acknowledgements() {
        PacketDecoder decoder = new PacketDecoder(Role.SERVER);
        InboundState state = new InboundState(1 << 20);
        state.version = ProtocolVersion.MQTT_5;
        for (int i = 0; i < 3; i++) {
            buffer.writeBytes(Bytes.packet("32 $plant/hall/" + i + " 0007 03 23 0001 'payload"));
            buffer.writeBytes(Bytes.packet("30 $plant/hall/" + i + " 05 02 0000000A 'payload"));
        }
        buffer.writeBytes(Bytes.packet("40 0001")).writeBytes(Bytes.packet("62 0001 00"));
        long spent =
                allocated(() -> {
                    buffer.readerIndex(0);
                    decoder.decode(buffer, state, sink);
                });
        assertThat(sink.packets).isEqualTo(2L * ROUNDS * 8);
        assertThat(spent).isLessThan(BYTES_MAX);
    }

    @Test
    void writing_publishes_and_acknowledgements() {
        byte[] topic = Topic.of("plant/hall/1").bytes();
        byte[] payload = new byte[100];
        byte[] none = PublishFrame.NO_PROPERTIES;
        int[] ids = {7, 300};
        PublishEncoder encoder = new PublishEncoder();
        long spent =
                allocated(() -> {
                    buffer.clear();
                    for (ProtocolVersion version : versions) {
                        encoder.write(
                                buffer,
                                version,
                                PublishEncoder.first(1, false, true),
                                topic,
                                9,
                                0,
                                -1,
                                NO_IDS,
                                none,
                                payload,
                                false);
                        buffer.writeBytes(payload);
                        encoder.write(
                                buffer,
                                version,
                                PublishEncoder.first(2, true, true),
                                topic,
                                9,
                                3,
                                60,
                                ids,
                                none,
                                payload,
                                true);
                    }
                    PacketEncoder.ack(buffer, PacketType.PUBREL, 9);
                    PacketEncoder.ack(buffer, PacketType.PUBACK, 9, 0x10);
                    PacketEncoder.pingResp(buffer);
                });
        assertThat(buffer.readableBytes()).isGreaterThan(6 * payload.length);
        assertThat(spent).isLessThan(BYTES_MAX);
    }

    /** Bytes of the second of two equal loops: the first loads what is loaded once. */
    private long allocated(Runnable round) {
        long before = 0;
        for (int i = 0; i < 2 * ROUNDS; i++) {
            if (i == ROUNDS) {
                before = threads.getCurrentThreadAllocatedBytes();
            }
            round.run();
        }
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    private static final class CountingSink implements PacketSink {
        long packets;

        @Override
        public void onPublish(PublishFrame frame) {
            packets++;
        }

        @Override
        public void onAck(PacketType type, int packetId, int reasonCode) {
            packets++;
        }

        @Override
        public void onPacket(Packet packet) {
            packets++;
        }

        @Override
        public boolean wantsMore() {
            return true;
        }
    }
}
