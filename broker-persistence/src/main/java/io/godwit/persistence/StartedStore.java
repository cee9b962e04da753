package io.godwit.persistence;

import io.godwit.core.id.IdFloor;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.health.StoreHealth;
import io.godwit.persistence.journal.CommitLoop;
import io.godwit.persistence.queue.QueueLeaders;
import io.godwit.persistence.reading.Moments;
import io.godwit.persistence.recovery.Load;
import io.godwit.persistence.recovery.Restored;
import io.godwit.persistence.upkeep.Compaction;
import io.godwit.persistence.upkeep.ExpirySweep;
import io.godwit.persistence.upkeep.Upkeep;
import io.godwit.persistence.window.Window;

/** What there is of a store from its start on. */
record StartedStore(
        IdFloor floor,
        StoreHealth health,
        Restored state,
        Window window,
        CommitLoop commits,
        QueueStates states,
        Moments moments,
        MomentReads momentReads,
        GrownCoverage coverage,
        ExpirySweep sweep,
        Upkeep upkeep,
        Compaction compaction) {
    /**
     * Tells of what a database holds.
     *
     * @param serverId of this node
     */
    static Load load(int serverId, Disk disk, Restored state, QueueLeaders queueLeaders) {
        return new Load(
                serverId,
                disk,
                state.depths,
                state.records,
                state.materialiser.purge(),
                queueLeaders);
    }
}
