package io.godwit.persistence.reading;

import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Messages of PAYLOADS that were read last: many queues that are read one after the other have the
 * same ones, and then share the object too. Belongs to the read worker, but for {@linkplain
 * LargePayloads large ones}.
 */
final class PayloadCache {
    private static final long BYTES_MAX = 4 << 20;

    private final DiskView disk;
    private final LargePayloads large;
    private final Map<IngressId, Message> latest = new LinkedHashMap<>(64, 0.75f, true);
    private long bytes;

    PayloadCache(DiskView disk, LargePayloads large) {
        this.disk = disk;
        this.large = large;
    }

    /**
     * @param itsBytes what it counts for
     */
    @Nullable Message get(int server, long counter, int itsBytes) throws DiskFailure {
        if (itsBytes >= LargePayloads.LEAST) {
            return large.get(server, counter);
        }
        IngressId id = new IngressId(server, counter);
        Message message = latest.get(id);
        if (message != null) {
            return message;
        }
        message = LargePayloads.read(disk, server, counter);
        if (message == null) {
            return null;
        }
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
