package io.godwit.persistence.recovery;

import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.JournalView;
import io.godwit.persistence.health.StoreCounts;
import io.godwit.persistence.health.StoreDamage;
import io.godwit.persistence.journal.QueueHandles;
import io.godwit.persistence.queue.Coverages;
import io.godwit.persistence.queue.DeferredRows;
import io.godwit.persistence.queue.Depths;
import io.godwit.persistence.queue.Forgetting;
import io.godwit.persistence.queue.IngressRows;
import io.godwit.persistence.queue.Materialiser;
import io.godwit.persistence.queue.QueueLeaders;
import io.godwit.persistence.queue.QueueRecords;
import io.godwit.persistence.queue.RowLookup;
import io.godwit.persistence.queue.RowProgress;
import io.godwit.persistence.queue.RowRemovals;
import io.godwit.persistence.settings.StoreRule;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import io.godwit.persistence.window.PartOps;
import java.util.function.Consumer;

/**
 * What a database holds, read as far as it has to be in memory, with those who write it: a journal
 * is replayed on it. The broker goes on from here; tools are done.
 */
public final class Restored {
    private final Disk disk;
    private final StoreRules rules;
    private final Applier applier;
    public final Depths depths;
    public final IngressRows remembered = new IngressRows();
    public final QueueRecords records;
    public final QueueLeaders queueLeaders;
    public final Forgetting forgetting;
    public final Coverages coverages;
    public final RowLookup lookup;
    public final RowRemovals removals;
    public final DeferredRows deferred = new DeferredRows();
    public final Materialiser materialiser;
    public final PartOps parts;

    /**
     * @param afterPages runs a task when the pages that are being read have been read
     * @param depths of this database, not loaded yet
     * @param queueLeaders empty
     * @param handles nobody has asked for any yet
     */
    public Restored(
            Disk disk,
            StoreRules rules,
            StoreCounts counts,
            Consumer<Runnable> afterPages,
            Depths depths,
            QueueLeaders queueLeaders,
            QueueHandles handles,
            RowProgress progress,
            StoreDamage damage)
            throws DiskFailure {
        this.disk = disk;
        this.rules = rules;
        this.queueLeaders = queueLeaders;
        this.depths = depths;
        records = new QueueRecords(handles);
        records.load(disk);
        queueLeaders.load(disk);
        depths.load();
        remembered.load(disk);
        forgetting = new Forgetting(disk, queueLeaders, StoreSettings.FORGET_MAX);
        forgetting.load();
        coverages = new Coverages(disk);
        lookup = new RowLookup(disk, depths, damage);
        deferred.load(disk);
        removals = new RowRemovals(lookup, deferred, afterPages);
        materialiser =
                new Materialiser(
                        disk,
                        rules,
                        counts,
                        depths,
                        remembered,
                        records,
                        removals,
                        deferred,
                        lookup,
                        coverages,
                        queueLeaders,
                        forgetting,
                        progress,
                        damage,
                        position(disk, Keys.MATERIALISED));
        materialiser.aside().load(progress);
        // Before the replay: a queue with a session again loses what it had before its end.
        materialiser.purge().load();
        parts =
                new PartOps(
                        disk,
                        materialiser,
                        remembered,
                        records,
                        queueLeaders,
                        counts,
                        deferred,
                        rules);
        applier = new Applier(materialiser, parts, queueLeaders, coverages);
    }

    /** Restores a database for a tool; records that the journal lacks are given up if need be. */
    public static Restored of(Disk disk, JournalView journal, boolean overGaps) throws DiskFailure {
        StoreCounts counts = new StoreCounts();
        StoreDamage damage = new StoreDamage();
        QueueLeaders queueLeaders = new QueueLeaders();
        Restored restored =
                new Restored(
                        disk,
                        StoreRules.ALL,
                        counts,
                        Runnable::run,
                        new Depths(disk, counts, damage, queueLeaders),
                        queueLeaders,
                        new QueueHandles(),
                        RowProgress.UNHEARD,
                        damage);
        restored.replay(journal, overGaps);
        return restored;
    }

    /**
     * Position up to which nobody needs the journal: rows and coverage stand for everything before.
     */
    public static long neededBehind(DiskView disk) throws DiskFailure {
        return Math.min(position(disk, Keys.MATERIALISED), position(disk, Keys.COVERED));
    }

    private static long position(DiskView disk, byte[] key) throws DiskFailure {
        byte[] position = disk.get(Family.META, key);
        return position == null ? 0 : Keys.longAt(position, 0);
    }

    /**
     * Makes rows of what is in the journal alone.
     *
     * @param overGaps records may be missing: those behind them count all the same
     * @return records that were replayed
     */
    public long replay(JournalView journal, boolean overGaps) throws DiskFailure {
        long rows = materialiser.position();
        long replayed =
                new Replay(
                                applier,
                                rules.holds(StoreRule.REPLAY_BEHIND_ROWS) ? rows : rows + 1,
                                position(disk, Keys.COVERED),
                                overGaps)
                        .run(journal);
        // With what records have proved whose rows are there already: nobody has written it yet.
        coverages.writeLearned(materialiser.position());
        materialiser.replayed();
        return replayed;
    }
}
