package io.godwit.cluster.replication;

import io.godwit.cluster.transport.PeerLink;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The record with the highest version that this node knows of each copy set of each leader, its own
 * too. They are on its disk before it answers that they were shown to it. So every node knows from
 * its own disk which nodes have whole copies. On the shard that owns the topic index.
 */
final class CopyRecords {
    private final CopyRecordsFile file;
    private final CopyRules rules;
    private final SlotClaims claims;

    /** Holds the records by leader and copy set. */
    private final Map<Integer, Map<Integer, CopyRecord>> records = new TreeMap<>();

    private Set<Integer> forgotten = Set.of();
    private @Nullable Executor owner;

    /** Whether some are not handed to the disk yet. */
    private boolean isChanged;

    private boolean isSaving;

    /** To be run when all that is here now is on the disk. */
    private List<Runnable> waiting = new ArrayList<>();

    CopyRecords(CopyRecordsFile file, CopyRules rules) {
        this.file = file;
        this.rules = rules;
        claims = new SlotClaims(rules);
        byte[] kept = file.load();
        if (kept.length > 0) {
            CopyRecord.readAll(new ByteReader(kept)).forEach(this::raise);
            isChanged = false;
        }
    }

    /**
     * Connects it to its shard, before that runs.
     *
     * @param owner runs tasks on the shard
     */
    void attach(Executor owner) {
        this.owner = owner;
    }

    /** Returns who judges what leaders say of themselves. */
    SlotClaims claims() {
        return claims;
    }

    /** Returns the server ids of all nodes of which records are known. */
    List<Integer> leaders() {
        return List.copyOf(records.keySet());
    }

    /** Returns what is known of a leader's copy sets, by copy set. */
    List<CopyRecord> of(int leader) {
        return List.copyOf(records.getOrDefault(leader, Map.of()).values());
    }

    /**
     * Takes new records of this node.
     *
     * @param whenKept run once they are on the disk
     */
    void put(List<CopyRecord> own, Runnable whenKept) {
        own.forEach(this::raise);
        keep(whenKept);
    }

    /**
     * Takes what a member knows of a leader.
     *
     * @param whenKept run once the highest ones are on the disk
     */
    void learn(int leader, List<CopyRecord> told, Runnable whenKept) {
        for (CopyRecord each : told) {
            if (each.leader() == leader && !forgotten.contains(leader)) {
                raise(each);
            }
        }
        keep(whenKept);
    }

    /**
     * Takes the records that a leader shows, and answers it when they are on the disk. One that has
     * yet to hear of a take-over gets no answer: it shows them again.
     *
     * @param claim slots that it takes itself for the leader of
     */
    void onShow(PeerLink from, long change, BitSet claim, List<CopyRecord> shown) {
        if (!claims.agrees(from.peer().server(), claim)) {
            return;
        }
        List<CopyRecord> higher = new ArrayList<>();
        for (CopyRecord each : shown) {
            CopyRecord known = known(each);
            if (known != null && known.isAbove(each)) {
                higher.add(known);
            }
        }
        if (!higher.isEmpty() || forgotten.contains(from.peer().server())) {
            from.offer(new CopyMessages.ShowRefused(change, higher));
            return;
        }
        shown.forEach(this::raise);
        keep(() -> from.offer(new CopyMessages.Shown(change)));
    }

    /** Drops the records of leaders that do not belong to the cluster any more. */
    void forgotten(Set<Integer> servers) {
        forgotten = servers;
        if (records.keySet().removeAll(servers)) {
            isChanged = true;
            save();
        }
    }

    private @Nullable CopyRecord known(CopyRecord other) {
        return records.getOrDefault(other.leader(), Map.of()).get(other.copySet());
    }

    private void raise(CopyRecord record) {
        CopyRecord known = known(record);
        if (known == null || record.isAbove(known)) {
            records.computeIfAbsent(record.leader(), any -> new TreeMap<>())
                    .put(record.copySet(), record);
            isChanged = true;
        }
    }

    // ---------------------------------------------------------------- the disk

    private void keep(Runnable whenKept) {
        boolean isKept = !isSaving && !isChanged;
        if (isKept || !rules.holds(CopyRule.RECORDS_ON_DISK)) {
            whenKept.run();
        } else {
            waiting.add(whenKept);
        }
        save();
    }

    private void save() {
        if (isSaving || !isChanged && waiting.isEmpty()) {
            return;
        }
        isSaving = true;
        isChanged = false;
        List<Runnable> then = waiting;
        waiting = new ArrayList<>();
        List<CopyRecord> all =
                records.values().stream().flatMap(each -> each.values().stream()).toList();
        ByteWriter to = new ByteWriter(CopyRecord.bytes(all));
        CopyRecord.writeAll(to, all);
        file.save(to.toBytes(), () -> Objects.requireNonNull(owner).execute(() -> onSaved(then)));
    }

    private void onSaved(List<Runnable> then) {
        isSaving = false;
        then.forEach(Runnable::run);
        save();
    }
}
