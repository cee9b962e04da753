package io.godwit.cluster.stream;

import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.KnownNames;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The names that each link has brought lately, apart for each shard that its streams arrive at: a
 * topic keeps the route that its shard has found. Who reads a link's frames finds those of a shard,
 * and only that shard uses them; any thread asks what they take.
 */
public final class ArrivingNames {
    private final Map<PeerLink, AtomicReferenceArray<KnownNames>> ofLinks =
            new ConcurrentHashMap<>();

    private KnownNames of(PeerLink link, int shard, int shards) {
        AtomicReferenceArray<KnownNames> all =
                ofLinks.computeIfAbsent(link, any -> new AtomicReferenceArray<>(shards));
        KnownNames known = all.getPlain(shard);
        if (known == null) {
            known = new KnownNames();
            all.setRelease(shard, known);
        }
        return known;
    }

    /** Bytes that the names of all links take. */
    public long bytes() {
        long bytes = 0;
        for (AtomicReferenceArray<KnownNames> all : ofLinks.values()) {
            for (int i = 0; i < all.length(); i++) {
                KnownNames known = all.getAcquire(i);
                bytes += known == null ? 0 : known.bytes();
            }
        }
        return bytes;
    }

    /** The link has ended. */
    public void end(PeerLink link) {
        ofLinks.remove(link);
    }

    /** Reads a message of a stream. See {@link StreamMessage#read}. */
    public StreamMessage read(PeerLink link, MessageType type, ByteReader body, int shards) {
        return StreamMessage.read(
                type, body, stream -> of(link, StreamName.arrivesAt(stream, shards), shards));
    }
}
