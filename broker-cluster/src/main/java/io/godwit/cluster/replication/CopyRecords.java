package io.godwit.cluster.replication;

import io.godwit.cluster.transport.PeerLink;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.store.CopySets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
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
    private final int self;
    private final CopyQuorum quorum;
    private Takers takers = NOBODY;

    /** By leader: the copy sets whose records it has shown to this start, and that counted here. */
    private final Map<Integer, BitSet> fresh = new TreeMap<>();

    /** Holds the records by leader and copy set. */
    private final Map<Integer, Map<Integer, CopyRecord>> records = new TreeMap<>();

    /** Leaders whose queues of groups this node adopts now: they may not go on before it has. */
    private final Set<Integer> adopting = new TreeSet<>();

    private Set<Integer> forgotten = Set.of();
    private @Nullable Executor owner;

    /** Whether some are not handed to the disk yet. */
    private boolean isChanged;

    private boolean isSaving;

    /** To be run when all that is here now is on the disk. */
    private List<Runnable> waiting = new ArrayList<>();

    /** Knows of take-overs by this node, and asks other nodes about theirs. */
    interface Takers {
        /** Whether this node is taking copy sets of a leader over. */
        boolean isTaking(int leader);

        /**
         * A leader shows a record of a copy set that was taken over.
         *
         * @param taker server id of the node that has done so
         */
        void onRefused(int taker, int leader);
    }

    private static final Takers NOBODY =
            new Takers() {
                @Override
                public boolean isTaking(int leader) {
                    return false;
                }

                @Override
                public void onRefused(int taker, int leader) {}
            };

    /**
     * @param self server id of this node
     */
    CopyRecords(int self, CopyRecordsFile file, CopyRules rules) {
        this.self = self;
        quorum = new CopyQuorum(self);
        this.file = file;
        this.rules = rules;
        claims = new SlotClaims(rules);
        byte[] kept = file.load();
        if (kept.length > 0) {
            CopyRecord.readAll(new ByteReader(kept)).forEach(each -> raise(each, self));
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

    /** Takes who knows of take-overs. */
    void attach(Takers now) {
        takers = now;
    }

    /** Returns who counts members. */
    CopyQuorum quorum() {
        return quorum;
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
     * Takes new records that this node has made.
     *
     * @param whenKept run once they are on the disk
     */
    void put(List<CopyRecord> own, Runnable whenKept) {
        own.forEach(each -> raise(each, self));
        keep(whenKept);
    }

    /**
     * Takes what a member knows of leaders.
     *
     * @param member server id
     * @param whenKept run once the highest ones are on the disk
     */
    void learn(int member, List<CopyRecord> told, Runnable whenKept) {
        told.forEach(each -> raise(each, member));
        keep(whenKept);
    }

    /**
     * Takes records by which a follower takes copy sets over, as far as none that is known here is
     * higher and nobody else has taken them.
     *
     * @param follower server id
     * @param whenKept run once they are on the disk
     */
    void accept(int follower, List<CopyRecord> proposed, Runnable whenKept) {
        for (CopyRecord each : proposed) {
            boolean areHigherRefused = rules.holds(CopyRule.RECORDS_OF_ALL);
            CopyRecord known = known(each);
            if (!areHigherRefused && known != null && !known.isTaken()) {
                records.getOrDefault(each.leader(), Map.of()).remove(each.copySet());
            }
            if (each.takenBy() == follower) {
                raise(each, follower);
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
        int leader = from.peer().server();
        if (!claims.agrees(leader, claim)) {
            return;
        }
        if (forgotten.contains(leader)) {
            from.offer(new CopyMessages.ShowRefused(change, List.of()));
            return;
        }
        List<CopyRecord> later = laterStarts(shown);
        if (!later.isEmpty()) {
            from.offer(new CopyMessages.ShowRefused(change, later));
            return;
        }
        List<CopyRecord> refused = new ArrayList<>();
        for (CopyRecord each : shown) {
            release(each);
            CopyRecord known = known(each);
            boolean isRefused =
                    known != null
                            && !known.equals(each)
                            && (!each.isAbove(known) || isTakenFrom(known, each, leader));
            if (known != null && isRefused) {
                refused.add(known);
                if (known.isTaken()) {
                    takers.onRefused(known.takenBy(), leader);
                }
            } else {
                fresh.computeIfAbsent(leader, any -> new BitSet()).set(each.copySet());
                raise(each, leader);
            }
        }
        if (!refused.isEmpty()) {
            from.offer(new CopyMessages.ShowRefused(change, refused));
        }
        keep(() -> from.offer(new CopyMessages.Shown(change)));
    }

    private List<CopyRecord> laterStarts(List<CopyRecord> shown) {
        List<CopyRecord> later = new ArrayList<>();
        for (CopyRecord each : shown) {
            CopyRecord known = known(each);
            if (known != null && known.incarnation() > each.incarnation()) {
                later.add(known);
            }
        }
        return later;
    }

    /** The leader knows that this node has taken a copy set over: what it makes counts again. */
    private void release(CopyRecord shown) {
        CopyRecord known = known(shown);
        boolean isMine = known != null && known.isTaken() && known.takenBy() == self;
        boolean isFinal = known != null && known.isDecided();
        boolean isGiven = shown.isTaken() && shown.takenBy() == self;
        boolean isOver = isMine && !isFinal && !isGiven && !takers.isTaking(shown.leader());
        if (known != null && isOver) {
            raise(known.released(), self);
        }
    }

    /**
     * Ends take-overs that are complete: another node leads all slots of the copy set, by the table
     * of this node. What the former leader shows counts again, once it knows of that, too; the node
     * that has taken the set over may be gone by then.
     *
     * @param led copy sets of which the leader leads slots
     */
    void releaseTaken(int leader, BitSet led) {
        for (CopyRecord each : of(leader)) {
            boolean isOthers = each.isTaken() && each.takenBy() != self;
            if (isOthers && !each.isDecided() && !led.get(each.copySet())) {
                raise(each.released(), each.takenBy());
            }
        }
        save();
    }

    /** Returns what is known of a copy set of this node. */
    @Nullable CopyRecord own(int copySet) {
        return records.getOrDefault(self, Map.of()).get(copySet);
    }

    /** Whether this node has given a copy set to a follower, which has not withdrawn. */
    boolean isGiven(int copySet) {
        CopyRecord own = own(copySet);
        return own != null && own.isTaken();
    }

    /** Ends what this node has given: other nodes have taken all of it over. */
    void releaseOwn(BitSet copySets) {
        for (CopyRecord each : of(self)) {
            if (each.isTaken() && copySets.get(each.copySet())) {
                raise(each.released(), each.takenBy());
            }
        }
        save();
    }

    /** Whether a follower has taken some copy set of a leader over. */
    boolean isSomeTaken(int leader) {
        return of(leader).stream().anyMatch(CopyRecord::isTaken);
    }

    /**
     * Returns the copy sets of a leader whose records it has shown to this start of this node, and
     * that were not refused: this node knows what the leader decided while it did not run. A copy.
     */
    BitSet fresh(int leader) {
        return (BitSet) fresh.getOrDefault(leader, new BitSet()).clone();
    }

    private boolean isTakenByOther(CopyRecord known, int by) {
        return known.isTaken() && known.takenBy() != by && rules.holds(CopyRule.TAKEN_IS_FINAL);
    }

    /**
     * Whether what a leader shows does not count, since its copy set was taken over. A take-over
     * that is final counts until the leader has given up the queues, and the taker has them.
     */
    private boolean isTakenFrom(CopyRecord known, CopyRecord shown, int by) {
        if (!known.isDecided()) {
            return isTakenByOther(known, by);
        }
        boolean isAdopting = known.takenBy() == self && adopting.contains(known.leader());
        return !shown.isBehind(known) || isAdopting;
    }

    // ---------------------------------------------------------------- queues of groups

    /** Returns what is known of the queues of a leader's groups; null for nothing. */
    @Nullable CopyRecord ofGroups(int leader) {
        return records.getOrDefault(leader, Map.of()).get(CopySets.GROUPS);
    }

    /** Whether a node has taken over the queues of a leader's groups, and the leader has them. */
    boolean areGroupsTaken(int leader) {
        CopyRecord known = ofGroups(leader);
        return known != null && known.isDecided();
    }

    /** Whether it is this node that has taken them over. */
    boolean hasTakenGroups(int leader) {
        CopyRecord known = ofGroups(leader);
        return known != null && known.isDecided() && known.takenBy() == self;
    }

    /**
     * Tells a leader that its groups' queues were taken over, if so, and it has not said that it
     * has given them up. It may have nothing to show that would be refused.
     *
     * @param leader a link to it
     */
    void tellGroupsTaken(@Nullable PeerLink leader) {
        CopyRecord known = leader == null ? null : ofGroups(leader.peer().server());
        if (leader != null && known != null && known.isDecided()) {
            leader.offer(new CopyMessages.ShowRefused(CopyMessages.NO_CHANGE, List.of(known)));
        }
    }

    /**
     * Makes a take-over of the queues of a leader's groups final, which all have accepted.
     *
     * @param whenKept run once that is on the disk here; nothing of it is withdrawn then
     */
    void decideGroups(int leader, Runnable whenKept) {
        adopting.add(leader);
        noteDecided(leader, self);
        keep(whenKept);
    }

    /** A node has adopted the queues of a leader's groups. */
    void onGroupsTaken(int leader, int taker) {
        noteDecided(leader, taker);
        save();
    }

    private void noteDecided(int leader, int taker) {
        CopyRecord known = ofGroups(leader);
        if (known != null && known.takenBy() == taker && !known.isDecided()) {
            raise(known.decided(), taker);
        }
    }

    /** This node has adopted the queues of a leader's groups. */
    void adopted(int leader) {
        adopting.remove(leader);
    }

    /**
     * Returns the leaders whose queues of groups this node has taken over, in an earlier start
     * perhaps not to the end. They are adopted again.
     */
    List<Integer> groupsToAdopt() {
        List<Integer> all = new ArrayList<>();
        for (int leader : leaders()) {
            if (hasTakenGroups(leader)) {
                adopting.add(leader);
                all.add(leader);
            }
        }
        return all;
    }

    /**
     * Whether a leader may open its stream of copies here: it knows of all take-overs that this
     * node knows of, and this one has nothing left to load of what it has taken over from it.
     *
     * @param claim slots that the leader leads by its own table
     */
    boolean mayOpen(int leader, BitSet claim) {
        boolean isLoading = claims.isLoadingFrom(leader) || adopting.contains(leader);
        return claims.agrees(leader, claim)
                && claims.mayCopy(claim)
                && !areGroupsTaken(leader)
                && !isLoading;
    }

    /**
     * Takes which nodes do not belong to the cluster any more. Their own records stay: followers
     * take over by them. What they are taking over is withdrawn.
     */
    void forgotten(Set<Integer> servers) {
        forgotten = servers;
        for (int leader : leaders()) {
            for (CopyRecord each : of(leader)) {
                if (servers.contains(each.takenBy()) && !each.isDecided()) {
                    raise(each.withdrawn(), each.takenBy());
                }
            }
        }
        if (isChanged) {
            save();
        }
    }

    private @Nullable CopyRecord known(CopyRecord other) {
        return records.getOrDefault(other.leader(), Map.of()).get(other.copySet());
    }

    /**
     * @param by server id of the node that says so: only that which has taken a copy set over may
     *     say that another record counts, and this node when it is the one
     */
    private void raise(CopyRecord record, int by) {
        CopyRecord known = known(record);
        boolean isTaker = known != null && known.isTaken() && known.takenBy() == by;
        boolean isOwn = record.leader() == self && by != self && !isTaker;
        if (isOwn || known != null && (!record.isAbove(known) || isFinalFor(known, record, by))) {
            return;
        }
        records.computeIfAbsent(record.leader(), any -> new TreeMap<>())
                .put(record.copySet(), record);
        isChanged = true;
    }

    private boolean isFinalFor(CopyRecord known, CopyRecord record, int by) {
        return known.isDecided()
                ? isTakenFrom(known, record, by)
                : isTakenByOther(known, by) && known.takenBy() != self;
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
