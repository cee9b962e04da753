package io.godwit.persistence.reading;

import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.MessageCodec;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Messages of PAYLOADS that were read last: many queues that are read one after the other have the
 * same ones, and then share the object too. Belongs to the read worker.
 */
final class PayloadCache {
    private static final long BYTES_MAX = 4 << 20;

    private record IngressId(int server, long counter) {}

    private final DiskView disk;
    private final Map<IngressId, Message> latest = new LinkedHashMap<>(64, 0.75f, true);
    private long bytes;

    PayloadCache(DiskView disk) {
        this.disk = disk;
    }

    @Nullable Message get(int server, long counter) throws DiskFailure {
        IngressId id = new IngressId(server, counter);
        Message message = latest.get(id);
        if (message != null) {
            return message;
        }
        byte[] value = disk.get(Family.PAYLOADS, Keys.payload(server, counter));
        if (value == null) {
            return null;
        }
        message = MessageCodec.read(new ByteReader(value));
        latest.put(id, message);
        bytes += message.accountedBytes();
        Iterator<Message> oldest = latest.values().iterator();
        while (bytes > BYTES_MAX && oldest.hasNext()) {
            bytes -= oldest.next().accountedBytes();
            oldest.remove();
        }
        return message;
    }
}
