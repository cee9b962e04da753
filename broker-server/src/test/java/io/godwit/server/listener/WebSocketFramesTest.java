package io.godwit.server.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebSocketFramesTest {
    private static final int BINARY_LAST = 0x82;
    private static final int PING = 0x89;

    private final EmbeddedChannel channel = new EmbeddedChannel(new WebSocketFrames(1 << 20));

    @AfterEach
    void release() {
        channel.releaseInbound();
        channel.releaseOutbound();
    }

    @Test
    void payloads_of_one_read_are_handed_on_in_one_piece() {
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        ByteArrayOutputStream wire = new ByteArrayOutputStream();
        Random random = new Random(1);
        for (int length : new int[] {1, 125, 126, 3, 0, 2_000, 7}) {
            byte[] payload = new byte[length];
            random.nextBytes(payload);
            sent.writeBytes(payload);
            wire.writeBytes(WebSocketWire.frame(BINARY_LAST, payload));
            if (length == 3) {
                wire.writeBytes(WebSocketWire.frame(PING, new byte[] {1, 2}));
            }
        }

        channel.writeInbound(Unpooled.directBuffer().writeBytes(wire.toByteArray()));

        ByteBuf all = channel.readInbound();
        assertThat(bytes(all)).isEqualTo(sent.toByteArray());
        assertThat(channel.inboundMessages()).isEmpty();
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void frames_and_reads_of_any_length_lose_no_byte(long seed) {
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        ByteArrayOutputStream wire = new ByteArrayOutputStream();
        Random random = new Random(seed);
        for (int i = 0; i < 300; i++) {
            byte[] payload = new byte[random.nextInt(random.nextBoolean() ? 20 : 400)];
            random.nextBytes(payload);
            sent.writeBytes(payload);
            if (random.nextInt(5) == 0) { // a message in two frames
                int half = payload.length / 2;
                wire.writeBytes(WebSocketWire.frame(0x02, Arrays.copyOf(payload, half)));
                wire.writeBytes(
                        WebSocketWire.frame(
                                0x80, Arrays.copyOfRange(payload, half, payload.length)));
            } else {
                wire.writeBytes(WebSocketWire.frame(BINARY_LAST, payload));
            }
        }
        byte[] all = wire.toByteArray();
        ByteArrayOutputStream received = new ByteArrayOutputStream();
        for (int from = 0; from < all.length; ) {
            int count = Math.min(all.length - from, 1 + random.nextInt(500));
            channel.writeInbound(Unpooled.directBuffer().writeBytes(all, from, count));
            from += count;
            for (ByteBuf each = channel.readInbound(); each != null; each = channel.readInbound()) {
                received.writeBytes(bytes(each));
            }
        }
        assertThat(received.toByteArray()).isEqualTo(sent.toByteArray());
    }

    private static byte[] bytes(ByteBuf in) {
        byte[] bytes = new byte[in.readableBytes()];
        in.readBytes(bytes).release();
        return bytes;
    }
}
