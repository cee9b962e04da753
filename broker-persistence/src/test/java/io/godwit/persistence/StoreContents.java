package io.godwit.persistence;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Digest;
import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.MessageCodec;
import io.godwit.core.store.DigestReader;
import io.godwit.core.store.QueueDigest;
import io.godwit.core.store.QueueState;
import io.godwit.core.store.Receiver;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.queue.AsideRows;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Everything that a store holds of its queues, as text; what is the same reads the same. */
final class StoreContents {
    private static final String RECORDS = "SGEBIR";

    private StoreContents() {}

    /** What stands in rows, once everything is a row. */
    static List<String> rows(StoreFixture store) {
        List<String> text = new ArrayList<>();
        for (Map.Entry<byte[], byte[]> each : store.disk.rows(Family.META).entrySet()) {
            if (RECORDS.indexOf(each.getKey()[0]) >= 0) {
                text.add(
                        (char) each.getKey()[0]
                                + HexFormat.of().formatHex(each.getKey(), 1, each.getKey().length)
                                + " "
                                + HexFormat.of().formatHex(each.getValue()));
            }
        }
        Map<String, String> entries = new TreeMap<>();
        StoredRow row = new StoredRow();
        for (Map.Entry<byte[], byte[]> each : store.disk.rows(Family.QUEUES).entrySet()) {
            byte[] key = each.getKey();
            if (AsideRows.isAside(key)) {
                continue;
            }
            HybridId id = Keys.rowId(key);
            String name =
                    "Q%016x %016x %06x".formatted(Keys.rowQueue(key), id.clock(), id.server());
            row.read(each.getValue());
            String delivery =
                    row.packetId + " " + receiver(row) + (row.isMarker ? " kind " + row.kind : "");
            if (row.isMarker
                    && (row.kind == StoredRow.IDLE_ROW || row.kind == StoredRow.TO_MEMBER)) {
                entries.put(name, row.packetId + " " + receiver(row));
            } else if (row.isMarker) {
                entries.put(name, delivery + " " + row.server + ":" + row.counter);
            } else {
                String before = entries.get(name);
                entries.put(name, (before == null ? delivery : before) + " " + whole(store, row));
            }
        }
        entries.forEach((name, value) -> text.add(name + " " + value));
        return text;
    }

    /** The messages of a queue that are set aside, once everything is a row. */
    static List<String> aside(StoreFixture store, long queueId) {
        List<String> text = new ArrayList<>();
        StoredRow row = new StoredRow();
        for (Map.Entry<byte[], byte[]> each : store.disk.rows(Family.QUEUES).entrySet()) {
            if (AsideRows.isAside(each.getKey()) && Keys.rowQueue(each.getKey()) == queueId) {
                row.read(each.getValue());
                text.add(new String(message(store, row).payload, StandardCharsets.UTF_8));
            }
        }
        return text;
    }

    private static String receiver(StoredRow row) {
        Receiver receiver = row.receiver;
        return receiver == null ? "-" : receiver.session() + " " + receiver.clientId();
    }

    private static Message message(StoreFixture store, StoredRow row) {
        Message message = row.message;
        if (message != null) {
            return message;
        }
        byte[] payload =
                store.disk.rows(Family.PAYLOADS).get(Keys.payload(row.server, row.counter));
        return MessageCodec.read(new ByteReader(Objects.requireNonNull(payload)));
    }

    private static String whole(StoreFixture store, StoredRow row) {
        Message message = message(store, row);
        return row.qos
                + " "
                + row.retain
                + " "
                + Arrays.toString(row.ids)
                + " "
                + message.topic
                + " "
                + message.ingressCounter
                + " "
                + message.expiresAtMs
                + " "
                + Arrays.hashCode(message.payload);
    }

    /** The digests of all queues. */
    static Map<Long, String> digests(StoreFixture store) {
        Map<Long, String> digests = new TreeMap<>();
        boolean[] isRead = {false};
        store.store.describeAll(
                new DigestReader() {
                    @Override
                    public void onQueue(QueueDigest queue) {
                        digests.put(queue.queueId(), text(queue));
                    }

                    @Override
                    public void onEnd() {
                        isRead[0] = true;
                    }

                    @Override
                    public void onFailed(Throwable cause) {
                        throw new AssertionError(cause);
                    }
                });
        while (!isRead[0] && store.time.step()) {}
        return digests;
    }

    static String text(QueueDigest queue) {
        Digest digest = queue.digest();
        return queue.clientId()
                + (queue.isGroup() ? " group " : " ")
                + queue.predecessorId()
                + " "
                + digest.high()
                + ":"
                + digest.low();
    }

    /** What one queue holds. */
    static QueueState state(StoreFixture of, long queueId) {
        QueueState[] told = new QueueState[1];
        of.shard(0)
                .describe(
                        queueId,
                        new QueueState.Reader() {
                            @Override
                            public void onState(QueueState state) {
                                told[0] = state;
                            }

                            @Override
                            public void onFailed(Throwable cause) {
                                throw new AssertionError(cause);
                            }
                        });
        while (told[0] == null && of.time.step()) {}
        return told[0];
    }
}
