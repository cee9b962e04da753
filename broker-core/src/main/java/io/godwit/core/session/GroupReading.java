package io.godwit.core.session;

import io.godwit.core.group.SharedGroup;
import io.godwit.core.id.HybridId;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.Recovery.KeptGroupPart;
import io.godwit.core.store.Recovery.KeptInFlight;
import io.godwit.core.time.Timer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads back, at start, what members had in flight of one part of a durable group, and tells their
 * sessions. On the shard that owns the group; meanwhile it takes in what is published, and delivers
 * nothing.
 */
public final class GroupReading {
    private static final long RETRY_MS = 1_000;

    private final SessionContext context;
    private final Shard shard;
    private final SharedGroup group;
    private final KeptGroupPart part;

    /** By message id, the entries that no session was told of yet. */
    private final Map<HybridId, KeptInFlight> missing = new HashMap<>();

    /** By queue id, the sessions that have such entries. */
    private final Map<Long, Session> sessions;

    private HybridId after = HybridId.NONE;

    /**
     * @param part of the group, or what goes before it
     * @param sessions the members' sessions that are there, by queue id
     */
    public GroupReading(
            SessionContext context,
            SharedGroup group,
            KeptGroupPart part,
            Map<Long, Session> sessions) {
        this.context = context;
        this.shard = context.shard();
        this.group = group;
        this.part = part;
        for (KeptInFlight each : part.inFlight()) {
            missing.put(each.id(), each);
        }
        this.sessions = sessions;
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
            KeptInFlight as = missing.remove(after);
            if (as != null) {
                Session session = sessions.get(as.to().session().queueId());
                boolean isThere = session != null && session.key().equals(as.to().session());
                group.recovery().entryRead(entry, isThere ? session : null, as);
                if (session != null && isThere) {
                    shard.send(session.owner(), new GroupMail.Again(session, entry, as));
                }
            }
        }
        if (!isLast) {
            begin();
            return;
        }
        missing.values().forEach(this::notThere);
        group.recovery().queueRead(shard.sureMs());
        group.changed();
    }

    private void notThere(KeptInFlight kept) {
        Session session = sessions.get(kept.to().session().queueId());
        if (session != null) {
            shard.send(session.owner(), new GroupMail.NotAgain(session));
        }
    }
}
