package io.godwit.core.mail;

import io.godwit.core.packet.ClientId;
import io.godwit.core.routing.SessionRef;
import org.jspecify.annotations.Nullable;

/** A session as those see it who send it mail: with an owner, and perhaps on its way to another. */
public abstract class Recipient extends SessionRef {
    private @Nullable HandOver handOver;

    protected Recipient(ClientId clientId, long generation, int owner, boolean durable) {
        super(clientId, generation, owner, durable);
    }

    /** The hand-over that has not ended, seen from the new owner, whose thread alone asks. */
    public final @Nullable HandOver handOver() {
        return handOver;
    }

    protected final void handOver(@Nullable HandOver running) {
        handOver = running;
    }

    /** Whether a call may take the place of mail: it is here, and nothing is to be held back. */
    public final boolean isHere(int shard) {
        return owner() == shard && handOver == null;
    }
}
