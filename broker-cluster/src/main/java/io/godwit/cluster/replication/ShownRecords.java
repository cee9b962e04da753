package io.godwit.cluster.replication;

import io.godwit.cluster.replication.CopyMessages.Show;
import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.core.store.CopySets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records of this node's own copy sets: made when followers change, kept on the disk, then
 * shown to every node that a link is up to. Acknowledgements of a set wait while a node that has
 * left it, or has lost its copy, may stand in the record that some live member knows.
 *
 * <pre>
 * made     followers are others than in the last record, or have other copies
 * kept     on this node's disk: shown by all links, and first of all by each new one
 * given    names a follower that takes the set over (takenBy): acknowledgements wait until that
 *          one has withdrawn
 * settled  each live member has it on its disk, too: nobody live knows an older one;
 *          and where a node is whole no more, those that may know an older one are
 *          not more than half of the members that count
 * </pre>
 *
 * Live is who has a link that is up: a link that is silent or down is not waited for.
 */
final class ShownRecords {
    private static final Logger LOG = LoggerFactory.getLogger(ShownRecords.class);

    private static final long SHOW_AGAIN_MS = 1_000;

    /** The record of one copy set. */
    private static final class OfSet {
        @Nullable CopyRecord record;

        /** The last one that was shown: a newer one may still be on its way to the disk. */
        @Nullable CopyRecord shown;

        /** Nodes whose copy is whole by a record that some live member may know. */
        final Set<Integer> whole = new TreeSet<>();

        /** Nodes in such a record. */
        final Set<Integer> members = new TreeSet<>();

        /** Whether each live member has a record of this start. */
        boolean hasBegun;

        boolean isSettled;
        boolean isOpen;

        /** A member knows another version that counts there: one above it has to be made. */
        boolean isOutdone;

        /** Some live member may know this record from now on. */
        void add(CopyRecord made) {
            record = made;
            isSettled = false;
            judge(made);
        }

        /** Whether some live member may know a node as whole that a record does not call so. */
        boolean drops(CopyRecord made) {
            return !made.whole().containsAll(whole);
        }

        /** No live member knows another record. */
        void settle(CopyRecord made, long start) {
            isSettled = true;
            hasBegun |= made.incarnation() == start;
            whole.clear();
            members.clear();
            judge(made);
        }

        private void judge(CopyRecord made) {
            whole.addAll(made.whole());
            members.addAll(made.whole());
            members.addAll(made.filling());
            Set<Integer> now = new TreeSet<>(made.whole());
            boolean areWhole = now.containsAll(whole);
            now.addAll(made.filling());
            isOpen = hasBegun && areWhole && now.containsAll(members);
        }
    }

    /** A node that a link is open to. */
    private static final class Peer {
        final PeerLink link;

        /** The last change that it has on its disk, with all before it. */
        long shown;

        /** It takes this node for forgotten. */
        boolean refuses;

        /** The last change of each copy set that it has refused. */
        final long[] refused = new long[CopySets.LAST + 1];

        Peer(PeerLink link) {
            this.link = link;
        }

        /** Whether it has the record that a change has made of a copy set on its disk. */
        boolean has(int copySet, long change) {
            return shown >= change && !refuses && refused[copySet] < change;
        }

        boolean isOwed(int copySet, long change) {
            return link.state() == LinkState.UP && !has(copySet, change);
        }

        boolean isOwed(long change) {
            return link.state() == LinkState.UP && shown < change;
        }
    }

    private final int self;
    private final CopyRules rules;
    private final CopyRecords records;
    private final CopyQuorum quorum;
    private final Runnable onSettled;
    private final OfSet[] sets;
    private final Map<Integer, Peer> peers = new TreeMap<>();
    private long start;

    /** The last change that was made, that is on the disk, and that was shown. */
    private long made;

    private long kept;
    private long shown;

    private boolean areSettled = true;
    private long unsettledMs;

    /** How long ago records were shown. */
    private long shownMs;

    /** The version by which the queues of groups were taken over last, and were given up here. */
    private CopyRecord.Version givenUp = CopyRecord.Version.NONE;

    /** Gives them up. */
    private GroupsGivenUp giveUpGroups = (taker, then) -> then.run();

    private boolean isGivingUp;

    /** Those who wait until records are settled. */
    private final List<Waiting> waiting = new ArrayList<>();

    private record Waiting(BitSet copySets, Runnable then) {}

    private boolean isLateSaid;

    /**
     * @param self server id of this node
     * @param count of the copy sets, and one
     * @param onSettled run when {@link #isOpen} may have changed
     */
    ShownRecords(int self, int count, CopyRules rules, CopyRecords records, Runnable onSettled) {
        this.onSettled = onSettled;
        this.self = self;
        this.rules = rules;
        this.records = records;
        quorum = records.quorum();
        sets = new OfSet[count];
        for (int set = 1; set < count; set++) {
            sets[set] = new OfSet();
        }
    }

    /**
     * Sets under which start of this node records are made. No acknowledgement counts before each
     * live member has the first one: they may know one of the start before.
     */
    void attach(long startNumber) {
        start = startNumber;
        CopyRecord groups = records.ofGroups(self);
        givenUp = groups == null ? givenUp : groups.givenUp();
        for (CopyRecord each : records.of(self)) {
            sets[each.copySet()].add(each);
            if (each.isTaken()) {
                // It was given to a follower, which may not have heard of that: it is shown again.
                sets[each.copySet()].shown = each;
                made = Math.max(made, each.change());
                areSettled = false;
            } else {
                sets[each.copySet()].record = null;
            }
        }
        kept = made;
        shown = made;
    }

    /** Takes what gives up the queues of this node's groups, which another node has taken over. */
    void attach(GroupsGivenUp giveUp) {
        giveUpGroups = giveUp;
    }

    /** Nobody else belongs to the cluster, so nobody knows a record of an earlier start. */
    void alone() {
        for (int set = 1; set < sets.length; set++) {
            sets[set].hasBegun = true;
            sets[set].isOpen = true;
        }
    }

    /** Whether acknowledgements of a copy set may count, as far as records are concerned. */
    boolean isOpen(int copySet) {
        CopyRecord record = sets[copySet].record;
        boolean isGiven = record != null && record.isTaken();
        boolean isClosed = isGiven || records.claims().isLeftUnsettled(copySet);
        return (sets[copySet].isOpen || !rules.holds(CopyRule.SHOWN))
                && !(isClosed && rules.holds(CopyRule.GIVEN_IS_CLOSED));
    }

    /** Returns the record of each copy set that was made last. */
    List<CopyRecord> latest() {
        List<CopyRecord> all = new ArrayList<>();
        for (int set = 1; set < sets.length; set++) {
            CopyRecord record = sets[set].record;
            if (record != null) {
                all.add(record);
            }
        }
        return all;
    }

    /** Returns the nodes that every live member knows to have whole copies of a set. */
    List<Integer> settledWhole(int copySet) {
        OfSet of = sets[copySet];
        CopyRecord record = of.record;
        return record == null || !of.isSettled ? List.of() : record.whole();
    }

    /**
     * Makes new records of those copy sets whose followers or their copies have changed. None is
     * made of a set that was given, until the follower has withdrawn or all of it is led elsewhere.
     */
    void update(LedCopySet[] now) {
        for (int set = 1; set < sets.length; set++) {
            CopyRecord over = isGivingOver(set) ? records.own(set) : null;
            made = Math.max(made, over == null ? 0 : over.change());
        }
        List<CopyRecord> news = new ArrayList<>();
        for (int set = 1; set < sets.length; set++) {
            List<Integer> whole = now[set].servers(true);
            List<Integer> filling = now[set].servers(false);
            CopyRecord before = sets[set].record;
            boolean isFirst = before == null || before.incarnation() != start;
            if (isFirst && !mayBegin(set, quorum::hears) || records.isGiven(set)) {
                continue; // The record of the start before stays on the disk until then.
            }
            if (before == null
                    || before.isTaken()
                    || sets[set].isOutdone
                    || !before.whole().equals(whole)
                    || !before.filling().equals(filling)) {
                CopyRecord record =
                        new CopyRecord(
                                self,
                                set,
                                start,
                                made + 1,
                                whole,
                                filling,
                                CopyRecord.NOBODY,
                                set == CopySets.GROUPS ? givenUp : CopyRecord.Version.NONE);
                sets[set].add(record);
                sets[set].isOutdone = false;
                news.add(record);
            }
        }
        if (!news.isEmpty()) {
            put(news);
        }
    }

    /** Hands records that have the next change to the disk. */
    private void put(List<CopyRecord> news) {
        long change = ++made;
        if (areSettled) {
            areSettled = false;
            unsettledMs = 0;
            isLateSaid = false;
        }
        records.put(news, () -> onKept(change));
    }

    /** Whether a copy set that was given may have records again. */
    private boolean isGivingOver(int set) {
        CopyRecord record = sets[set].record;
        return record != null && record.isTaken() && !records.isGiven(set);
    }

    /** Whether some copy set was given, and is not led elsewhere yet. */
    boolean isGiving() {
        for (OfSet each : sets) {
            if (each != null && each.record != null && each.record.isTaken()) {
                return true;
            }
        }
        return false;
    }

    /** Returns the record of a copy set that may be given: all live members know it; else null. */
    @Nullable CopyRecord settled(int copySet) {
        OfSet of = sets[copySet];
        return of.isSettled && isOpen(copySet) && !records.isGiven(copySet) ? of.record : null;
    }

    /**
     * Gives copy sets to followers: nothing of them is acknowledged from now on, and they take over
     * when all live members have heard of it.
     *
     * @param followers a server id by copy set, each of which has a {@link #settled} record that
     *     calls it whole
     */
    void give(Map<Integer, Integer> followers) {
        List<CopyRecord> news = new ArrayList<>();
        followers.forEach((set, follower) -> {
            CopyRecord before = Objects.requireNonNull(sets[set].record);
            CopyRecord record =
                    new CopyRecord(
                            self,
                            set,
                            start,
                            made + 1,
                            before.whole(),
                            before.filling(),
                            follower,
                            before.givenUp());
            sets[set].add(record);
            news.add(record);
        });
        put(news);
    }

    private void onKept(long change) {
        kept = change;
        List<CopyRecord> news = new ArrayList<>();
        for (int set = 1; set < sets.length; set++) {
            CopyRecord record = sets[set].record;
            // One that was made again meanwhile is about to be kept.
            boolean isKept = record != null && record.change() <= change;
            if (isKept && record != sets[set].shown) {
                sets[set].shown = record;
                news.add(record);
            }
        }
        if (!news.isEmpty()) {
            long before = shown;
            shown = change;
            shownMs = 0;
            Show show = show(news);
            for (Peer each : peers.values()) {
                if (each.shown < before) {
                    showAll(each.link); // Its answer counts for everything up to this change.
                } else {
                    each.link.offer(show);
                }
            }
        }
        settle();
    }

    /** A link is open: its node is told all records first of all. */
    void onUp(PeerLink link) {
        peers.put(link.peer().server(), new Peer(link));
        showAll(link);
    }

    private Show show(List<CopyRecord> those) {
        return new Show(shown, records.claims().of(self), those);
    }

    private void showAll(PeerLink link) {
        List<CopyRecord> all = new ArrayList<>();
        for (int set = 1; set < sets.length; set++) {
            CopyRecord record = sets[set].shown;
            if (record != null) {
                all.add(record);
            }
        }
        if (!all.isEmpty()) {
            link.offer(show(all));
        }
    }

    void onDown(PeerLink link) {
        Peer peer = peers.get(link.peer().server());
        if (peer != null && peer.link == link) {
            peers.remove(link.peer().server());
            settle();
        }
    }

    /** A member has all records up to a change on its disk. */
    void onShown(PeerLink from, long change) {
        Peer peer = peers.get(from.peer().server());
        if (peer != null && peer.link == from && change > peer.shown) {
            peer.shown = change;
            settle();
        }
    }

    /**
     * A member knows other versions that count there, or has forgotten this node: nothing settles
     * while it is live, unless it takes a higher version later.
     */
    void onRefused(PeerLink from, long change, List<CopyRecord> others) {
        Peer peer = peers.get(from.peer().server());
        if (peer == null || peer.link != from) {
            return;
        }
        boolean isNews = !peer.refuses && others.isEmpty();
        peer.refuses |= others.isEmpty();
        for (CopyRecord each : others) {
            isNews |= change != CopyMessages.NO_CHANGE && peer.refused[each.copySet()] == 0;
            peer.refused[each.copySet()] = Math.max(peer.refused[each.copySet()], change);
            if (each.incarnation() == start) {
                made = Math.max(made, each.change());
            }
            if (each.copySet() == CopySets.GROUPS && each.isDecided()) {
                giveUp(each.version(), each.takenBy());
            }
        }
        if (isNews) {
            LOG.warn(
                    "Copies: node {} refuses this node's records of its followers, and"
                            + " acknowledgements may wait for it: it knows {}",
                    from.peer().server(),
                    others.isEmpty() ? "this node as forgotten" : others);
        }
    }

    /**
     * Another node has adopted the queues of this node's groups, as far as they stood in the
     * journal when it did: they are not served here any more. What this node says of its groups
     * counts again when it says so in its record.
     */
    private void giveUp(CopyRecord.Version taken, int taker) {
        if (!isGivingUp && !givenUp.isAtLeast(taken)) {
            isGivingUp = true;
            giveUpGroups.giveUp(
                    taker,
                    () -> {
                        isGivingUp = false;
                        givenUp = taken;
                        sets[CopySets.GROUPS].isOutdone = true;
                    });
        }
    }

    /** Runs something when each live member has the records of some copy sets on its disk. */
    void whenSettled(BitSet copySets, Runnable then) {
        waiting.add(new Waiting(copySets, then));
        tellWaiting();
    }

    private void tellWaiting() {
        for (Waiting each : List.copyOf(waiting)) {
            if (each.copySets.stream().allMatch(this::isSettled)) {
                waiting.remove(each);
                each.then.run();
            }
        }
    }

    private boolean isSettled(int set) {
        CopyRecord record = sets[set].record;
        return sets[set].isSettled && (record == null || !record.isTaken());
    }

    /** Settles what every live member knows. */
    private void settle() {
        if (areSettled) {
            return;
        }
        areSettled = true;
        boolean isMore = false;
        for (int set = 1; set < sets.length; set++) {
            OfSet of = sets[set];
            CopyRecord record = of.record;
            if (record != null && !of.isSettled) {
                if (isKnown(set, record.change()) && mayCount(set, record)) {
                    of.settle(record, start);
                    isMore = true;
                } else {
                    areSettled = false;
                }
            }
        }
        if (isMore) {
            onSettled.run();
            tellWaiting();
        }
    }

    private boolean isKnown(int set, long change) {
        return kept >= change
                && peers.values().stream().noneMatch(each -> each.isOwed(set, change));
    }

    /**
     * Whether those that lack a record can't have decided by an older one, nor do so later: they
     * are too few for a take-over.
     */
    private boolean mayCount(int set, CopyRecord record) {
        IntPredicate have =
                server -> {
                    Peer peer = peers.get(server);
                    return peer != null && peer.has(set, record.change());
                };
        return sets[set].hasBegun
                ? !sets[set].drops(record) || !isOutvoted(have)
                : mayBegin(set, have);
    }

    private boolean isOutvoted(IntPredicate have) {
        return rules.holds(CopyRule.SHRINK_NEEDS_QUORUM) && quorum.isOutvoted(have);
    }

    /**
     * Whether this start may make a record of its own: it has heard all that were whole before, or
     * so many members that it would have heard of a take-over.
     */
    private boolean mayBegin(int set, IntPredicate areWith) {
        return sets[set].whole.stream().allMatch(areWith::test) || !isOutvoted(areWith);
    }

    /** Returns how many copy sets have no record, or wait for members that are not heard. */
    int waitingForMembers() {
        int count = 0;
        for (int set = 1; set < sets.length; set++) {
            CopyRecord record = sets[set].record;
            boolean mayGoOn =
                    record == null
                            ? mayBegin(set, quorum::hears)
                            : sets[set].isSettled || mayCount(set, record);
            count += mayGoOn ? 0 : 1;
        }
        return count;
    }

    /** Shows all records again to those who have not answered: they knew of a take-over. */
    private void showAgain() {
        for (Peer each : peers.values()) {
            if (!each.refuses && each.isOwed(shown)) {
                showAll(each.link);
            }
        }
        for (int set = 1; set < sets.length; set++) {
            CopyRecord record = sets[set].record;
            int of = set;
            sets[set].isOutdone =
                    record != null
                            && peers.values().stream()
                                    .anyMatch(each -> each.refused[of] >= record.change());
        }
    }

    /** Notes that others may know higher versions of some copy sets: new ones are made. */
    void outdone(BitSet copySets) {
        copySets.stream().forEach(set -> sets[set].isOutdone = sets[set].record != null);
    }

    /** Whether versions have to be made, though followers are as they were. */
    boolean isOutdone() {
        for (int set = 1; set < sets.length; set++) {
            boolean isHeldBack = sets[set].record == null && mayBegin(set, quorum::hears);
            if (sets[set].isOutdone || isHeldBack || isGivingOver(set)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Notes that this node has run for so long.
     *
     * @param lateMs after so long the log names who is waited for
     */
    void passed(long ms, long lateMs) {
        settle(); // A link may have gone silent.
        shownMs += ms;
        if (shownMs >= SHOW_AGAIN_MS) {
            shownMs = 0;
            showAgain();
        }
        unsettledMs += ms;
        if (!areSettled && unsettledMs >= lateMs && !isLateSaid) {
            isLateSaid = true;
            List<Integer> late = new ArrayList<>();
            peers.forEach((server, peer) -> {
                if (peer.isOwed(made)) {
                    late.add(server);
                }
            });
            int unheard = waitingForMembers();
            LOG.warn(
                    "Copies: a change of followers is not on every disk after {} ms, and"
                            + " acknowledgements may wait for it: {}",
                    lateMs,
                    kept < made
                            ? "not on that of this node"
                            : late.isEmpty() && unheard > 0
                                    ? "too many members are not heard"
                                    : "not on those of nodes " + late);
        }
    }
}
