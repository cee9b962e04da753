package io.godwit.persistence;

import io.godwit.core.store.StoreMetric;
import io.godwit.core.time.TimeSource;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Journal;
import io.godwit.persistence.health.StoreCounts;
import io.godwit.persistence.health.StoreDamage;
import io.godwit.persistence.health.StoreHealth;
import io.godwit.persistence.journal.CommitLoop;
import io.godwit.persistence.journal.JournalStart;
import io.godwit.persistence.journal.QueueHandles;
import io.godwit.persistence.queue.Arrivals;
import io.godwit.persistence.queue.Depths;
import io.godwit.persistence.queue.Materialiser;
import io.godwit.persistence.queue.QueueLeaders;
import io.godwit.persistence.reading.LargePayloads;
import io.godwit.persistence.reading.Moments;
import io.godwit.persistence.reading.PageReader;
import io.godwit.persistence.reading.PageReads;
import io.godwit.persistence.recovery.ReservedIds;
import io.godwit.persistence.recovery.Restored;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import io.godwit.persistence.upkeep.Compaction;
import io.godwit.persistence.upkeep.ExpirySweep;
import io.godwit.persistence.upkeep.Upkeep;
import io.godwit.persistence.window.Window;
import io.godwit.persistence.work.Workers;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes a store's parts: the journal is replayed, ids are reserved, and everything is wired. */
final class StoreStart {
    private static final Logger LOG = LoggerFactory.getLogger(StoreStart.class);

    private final Disk disk;
    private final Journal journal;
    private final StoreSettings settings;
    private final TimeSource time;
    private final Workers workers;
    private final StoreRules rules;
    private final int serverId;
    final QueueHandles handles = new QueueHandles();
    final QueueLeaders queueLeaders = new QueueLeaders();
    final StoreCounts counts = new StoreCounts();
    final StoreDamage damage = new StoreDamage();
    final PageReads reads = new PageReads();
    private volatile @Nullable StartedStore started;

    StoreStart(
            Disk disk,
            Journal journal,
            StoreSettings settings,
            TimeSource time,
            Workers workers,
            StoreRules rules,
            int serverId) {
        this.disk = disk;
        this.journal = journal;
        this.settings = settings;
        this.time = time;
        this.workers = workers;
        this.rules = rules;
        this.serverId = serverId;
    }

    StartedStore run(StoreHealth health) throws DiskFailure {
        disk.damage().forEach(damage::found);
        Depths depths = new Depths(disk, counts, damage, queueLeaders);
        Compaction compaction =
                new Compaction(
                        disk,
                        depths,
                        workers.compactions(),
                        time,
                        health,
                        damage,
                        settings.diskFreeBytes() / 4);
        Upkeep upkeep =
                new Upkeep(
                        disk,
                        journal,
                        settings,
                        rules,
                        workers.upkeep(),
                        time,
                        health,
                        this::cover,
                        compaction);
        Restored state =
                new Restored(
                        disk,
                        rules,
                        counts,
                        reads::after,
                        depths,
                        queueLeaders,
                        handles,
                        upkeep,
                        damage);
        Materialiser materialiser = state.materialiser;
        long replayed = state.replay(journal, false);
        queueLeaders.eachAdopted((queueId, epoch) -> handles.get(queueId).epoch = epoch.number());
        LOG.info("Store: {} commits replayed, {} rows", replayed, counts.get(StoreMetric.QUEUED));
        materialiser.onAdopted(adopted -> {
            if (adopted.to() != null) {
                StartedStore.load(serverId, disk, state, queueLeaders)
                        .tell(adopted.queueId(), adopted.to());
            }
        });
        // Behind the replay, which raises the clock's ceiling; flushes what it has written.
        ReservedIds ids = ReservedIds.reserve(disk, time, rules);
        upkeep.flush();
        Window window =
                new Window(
                        settings,
                        time,
                        workers.rows(),
                        health,
                        materialiser,
                        new Arrivals(queueLeaders, state.coverages),
                        state.parts);
        CommitLoop commits =
                new CommitLoop(
                        journal,
                        settings,
                        rules,
                        time,
                        workers.commits(),
                        health,
                        counts,
                        new JournalStart(serverId, materialiser.position() + 1, ids.clockCeiling()),
                        handles,
                        window::offer,
                        () -> {
                            window.end();
                            upkeep.flushSoon();
                        });
        LargePayloads large = new LargePayloads(disk);
        reads.start(
                workers.reads(),
                () ->
                        new PageReader(
                                disk,
                                depths,
                                state.removals,
                                state.deferred,
                                counts,
                                damage,
                                large));
        Moments moments =
                new Moments(
                        serverId,
                        disk,
                        state.depths,
                        state.coverages,
                        queueLeaders,
                        state.records,
                        materialiser.purge(),
                        state.lookup,
                        state.remembered,
                        state.deferred,
                        damage);
        QueueStates states = new QueueStates(workers.commits(), commits, handles, moments);
        StartedStore there =
                new StartedStore(
                        ids.floor(),
                        health,
                        state,
                        window,
                        commits,
                        states,
                        moments,
                        new MomentReads(workers, reads, commits),
                        new GrownCoverage(workers.commits(), commits, state),
                        new ExpirySweep(
                                disk,
                                time,
                                materialiser,
                                queueLeaders,
                                state.removals,
                                health.listener(),
                                damage),
                        upkeep,
                        compaction);
        started = there;
        return there;
    }

    private void cover(Upkeep then) {
        StartedStore there = started;
        if (there == null) {
            then.notCovered(); // The journal stays as it is while it is replayed.
        } else {
            there.coverage().write(then);
        }
    }
}
