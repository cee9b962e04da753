package io.godwit.core.session;

import io.godwit.core.group.SharedGroup;
import io.godwit.core.id.HybridId;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.Recovery.KeptGroupPart;
import io.godwit.core.store.Recovery.KeptInFlight;
import io.godwit.core.time.Timer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads back, at start, what was in flight of one part of a durable group. On the shard that owns
 * the group; meanwhile it takes in what is published, and delivers nothing.
 */
public final class GroupReading {
    private static final long RETRY_MS = 1_000;

    private final SessionContext context;
    private final Shard shard;
    private final SharedGroup group;
    private final KeptGroupPart part;

    /** By message id, who has the entries. */
    private final Map<HybridId, Receiver> receivers = new HashMap<>();

    private HybridId after = HybridId.NONE;

    /**
     * @param part of the group, or what goes before it
     */
    public GroupReading(SessionContext context, SharedGroup group, KeptGroupPart part) {
        this.context = context;
        this.shard = context.shard();
        this.group = group;
        this.part = part;
        for (KeptInFlight each : part.inFlight()) {
            receivers.put(each.id(), each.to());
        }
    }

    public void begin() {
        group.recovery().read(part, after, this::onPage);
    }

    private void onPage(List<PartEntry> entries, boolean isLast, @Nullable Throwable failure) {
        if (failure != null) {
            context.onReadFailed(group.filter(), failure);
            Timer retry = Timer.of(nowMs -> begin());
            shard.timers().arm(retry, shard.nowMs() + RETRY_MS);
            return;
        }
        for (PartEntry entry : entries) {
            after = entry.id();
            Receiver to = receivers.remove(after);
            if (to != null) {
                group.recovery().entryRead(entry, to);
            }
        }
        if (!isLast) {
            begin();
            return;
        }
        group.recovery().queueRead(shard.sureMs());
        group.changed();
    }
}
