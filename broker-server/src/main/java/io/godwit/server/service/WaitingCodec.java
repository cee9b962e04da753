package io.godwit.server.service;

import io.godwit.core.id.HybridId;
import io.godwit.core.node.QueueDirectory;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.queue.WaitingPage;
import io.godwit.extension.packet.Bytes;
import io.godwit.extension.service.Page;
import io.godwit.extension.service.WaitingMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * Writes what waits in a queue.
 *
 * <pre>
 * page      0: nothing follows; 1 | place behind which the next page begins
 *           | message ...
 * message   place | topic sized | QoS 1 | RETAIN 1 | age ms varint | size of the payload varint
 *           | beginning of the payload sized
 * </pre>
 */
final class WaitingCodec {
    private WaitingCodec() {}

    static void write(WaitingPage.Place place, ByteWriter to) {
        to.varint(place.queueId()).long8(place.id().clock()).server3(place.id().server());
    }

    static WaitingPage.Place place(ByteReader from) {
        return new WaitingPage.Place(from.varint(), new HybridId(from.long8(), from.server3()));
    }

    /**
     * Reads a place that {@link #text} has written.
     *
     * @throws IllegalArgumentException it has not
     */
    static WaitingPage.Place place(String text) {
        try {
            return place(new ByteReader(Base64.getUrlDecoder().decode(text)));
        } catch (IndexOutOfBoundsException e) {
            throw new IllegalArgumentException("no page has ended there", e);
        }
    }

    private static String text(WaitingPage.Place place) {
        ByteWriter to = new ByteWriter(24);
        write(place, to);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(to.toBytes());
    }

    static byte[] written(QueueDirectory.Page page, int payloadBytes, int pageBytes) {
        ByteWriter items = new ByteWriter(1_000);
        WaitingPage.Place next = page.next();
        List<WaitingPage.Entry> entries = page.entries();
        for (int i = 0; i < entries.size(); i++) {
            if (items.length() >= pageBytes) {
                next = entries.get(i - 1).place();
                break;
            }
            write(entries.get(i), payloadBytes, items);
        }
        ByteWriter to = new ByteWriter(items.length() + 32);
        to.u8(next == null ? 0 : 1);
        if (next != null) {
            write(next, to);
        }
        return to.raw(items.toBytes()).toBytes();
    }

    private static void write(WaitingPage.Entry entry, int payloadBytes, ByteWriter to) {
        byte[] payload = entry.message().payload;
        write(entry.place(), to);
        to.sized(entry.message().topic.bytes()).u8(entry.qos()).u8(entry.retain() ? 1 : 0);
        to.varint(entry.ageMs()).varint(payload.length);
        to.sized(payload.length <= payloadBytes ? payload : Arrays.copyOf(payload, payloadBytes));
    }

    static Page<WaitingMessage> read(ByteReader from) {
        Optional<String> next = from.u8() == 0 ? Optional.empty() : Optional.of(text(place(from)));
        List<WaitingMessage> items = new ArrayList<>();
        while (!from.isAtEnd()) {
            String id = text(place(from));
            String topic = ClientInfoCodec.text(from);
            int qos = from.u8();
            boolean retain = from.u8() == 1;
            Duration age = Duration.ofMillis(from.varint());
            int size = from.smallInt();
            Bytes payload = Bytes.wrap(from.sized());
            items.add(new WaitingMessage(id, topic, qos, retain, age, size, payload));
        }
        return new Page<>(items, next);
    }
}
