package io.godwit.core.operation;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Encodes operations into a part, and gives its bytes and what reads them. */
abstract class PartFixture {
    static final int LEADER = 7;
    static final long CLOCK = 0x0102_0304_0506_0708L >>> 4;

    final Map<Long, QueueHandle> queues = new HashMap<>();
    final PartEncoder encoder = new PartEncoder(LEADER, this::queue);

    QueueHandle queue(long queueId) {
        return queues.computeIfAbsent(queueId, QueueHandle::new);
    }

    static final class Entry extends QueuedMessage {
        Entry(long queueId, HybridId id, @Nullable Message message, int qos, int... ids) {
            super(queueId, id.clock(), message, qos, false, ids);
            server = id.server();
        }
    }

    static HybridId id(long clock) {
        return new HybridId(clock, LEADER);
    }

    static Message message(String text, int qos, @Nullable ClientId publisher) {
        return new Message(
                Topic.of("t"),
                text.getBytes(StandardCharsets.UTF_8),
                new byte[0],
                qos,
                false,
                Message.NEVER,
                publisher,
                LEADER,
                IngressId.counter(3, 300));
    }

    String body() {
        ByteWriter out = new ByteWriter(64);
        encoder.writeTo(out);
        return HexFormat.of().formatHex(out.toBytes());
    }

    PartDecoder decoder() {
        byte[] bytes = HexFormat.of().parseHex(body());
        return new PartDecoder(bytes, 0, bytes.length);
    }
}
