package io.godwit.persistence.reading;

import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.MessageCodec;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Large messages of PAYLOADS that somebody still has since they were read: whoever asks for one
 * gets the same object, so that a thousand queues that are read at the same time hold it once. They
 * are read one after the other, since each is in memory twice meanwhile. Any thread.
 */
public final class LargePayloads {
    /** A message that counts for as much is large. */
    static final int LEAST = 64 << 10;

    private final DiskView disk;
    private final Map<IngressId, Known> known = new HashMap<>();
    private final ReferenceQueue<Message> gone = new ReferenceQueue<>();

    private static final class Known extends WeakReference<Message> {
        final IngressId id;

        Known(IngressId id, Message message, ReferenceQueue<Message> gone) {
            super(message, gone);
            this.id = id;
        }
    }

    public LargePayloads(DiskView disk) {
        this.disk = disk;
    }

    /** The message of this ingress id; null when it is not there. */
    synchronized @Nullable Message get(int server, long counter) throws DiskFailure {
        forgetGone();
        IngressId id = new IngressId(server, counter);
        Known before = known.get(id);
        Message message = before == null ? null : before.get();
        if (message == null) {
            message = read(disk, server, counter);
            if (message != null) {
                known.put(id, new Known(id, message, gone));
            }
        }
        return message;
    }

    static @Nullable Message read(DiskView disk, int server, long counter) throws DiskFailure {
        byte[] value = disk.get(Family.PAYLOADS, Keys.payload(server, counter));
        return value == null ? null : MessageCodec.read(new ByteReader(value));
    }

    private void forgetGone() {
        while (gone.poll() instanceof Known each) {
            known.remove(each.id, each); // There may be a newer one.
        }
    }
}
