package io.godwit.cluster.takeover;

import io.godwit.core.packet.ClientId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A session of the model: what was acknowledged to its publishers, and whether it is a home's. */
final class ModelSession {
    final ClientId clientId;

    /** Another one for each that was created. */
    final long generation;

    final boolean durable;
    final Set<Long> content = new TreeSet<>();
    long changes;

    /** Where the rest of its content still is; -1 = all of it is here. */
    int from = -1;

    /** Who keeps something of it. */
    final List<Former> former = new ArrayList<>();

    /** Null while it is a home's. */
    @Nullable ClaimId givenTo;

    /** The connection of its client; null while offline. */
    @Nullable Object connection;

    ModelSession(ClientId clientId, long generation, boolean durable) {
        this.clientId = clientId;
        this.generation = generation;
        this.durable = durable;
    }

    /** As the disk has it. */
    ModelSession copy() {
        ModelSession copy = new ModelSession(clientId, generation, durable);
        copy.content.addAll(content);
        copy.changes = changes;
        copy.from = from;
        copy.givenTo = givenTo;
        copy.former.addAll(former);
        return copy;
    }

    byte[] header() {
        ByteBuffer header = ByteBuffer.allocate(8 + 12 * former.size()).putLong(generation);
        former.forEach(each -> header.putInt(each.server()).putLong(each.changes()));
        return header.array();
    }

    static ModelSession of(ClientId clientId, byte[] bytes) {
        ByteBuffer header = ByteBuffer.wrap(bytes);
        ModelSession session = new ModelSession(clientId, header.getLong(), true);
        while (header.hasRemaining()) {
            session.former.add(new Former(header.getInt(), header.getLong()));
        }
        return session;
    }
}
