package io.godwit.cluster.replication;

import io.godwit.cluster.replication.CopyMessages.Show;
import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.PeerLink;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
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
 * settled  each live member has it on its disk, too: nobody live knows an older one
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

        /** Some live member may know this record from now on. */
        void add(CopyRecord made) {
            record = made;
            isSettled = false;
            judge(made);
        }

        /** No live member knows another record. */
        void settle(CopyRecord made) {
            isSettled = true;
            hasBegun = true;
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

        boolean refuses;

        Peer(PeerLink link) {
            this.link = link;
        }

        boolean isOwed(long change) {
            return link.state() == LinkState.UP && (shown < change || refuses);
        }
    }

    private final int self;
    private final CopyRules rules;
    private final CopyRecords records;
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
        return sets[copySet].isOpen || !rules.holds(CopyRule.SHOWN);
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

    /** Makes new records of those copy sets whose followers or their copies have changed. */
    void update(LedCopySet[] now) {
        List<CopyRecord> news = new ArrayList<>();
        for (int set = 1; set < sets.length; set++) {
            List<Integer> whole = now[set].servers(true);
            List<Integer> filling = now[set].servers(false);
            CopyRecord before = sets[set].record;
            if (before == null
                    || !before.whole().equals(whole)
                    || !before.filling().equals(filling)) {
                CopyRecord record = new CopyRecord(self, set, start, made + 1, whole, filling);
                sets[set].add(record);
                news.add(record);
            }
        }
        if (!news.isEmpty()) {
            long change = ++made;
            if (areSettled) {
                areSettled = false;
                unsettledMs = 0;
                isLateSaid = false;
            }
            records.put(news, () -> onKept(change));
        }
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
            shown = change;
            shownMs = 0;
            Show show = show(news);
            peers.values().forEach(each -> each.link.offer(show));
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
     * A member knows higher versions, or has forgotten this node: nothing settles while it is live.
     */
    void onRefused(PeerLink from, List<CopyRecord> higher) {
        Peer peer = peers.get(from.peer().server());
        if (peer != null && peer.link == from) {
            peer.refuses = true;
            LOG.warn(
                    "Copies: node {} refuses this node's records of its followers, and"
                            + " acknowledgements may wait for it: it knows {}",
                    from.peer().server(),
                    higher.isEmpty() ? "this node as forgotten" : higher);
        }
    }

    /** Runs something when each live member has the records of some copy sets on its disk. */
    void whenSettled(BitSet copySets, Runnable then) {
        waiting.add(new Waiting(copySets, then));
        tellWaiting();
    }

    private void tellWaiting() {
        for (Waiting each : List.copyOf(waiting)) {
            if (each.copySets.stream().allMatch(set -> sets[set].isSettled)) {
                waiting.remove(each);
                each.then.run();
            }
        }
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
                if (isKnown(record.change())) {
                    of.settle(record);
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

    private boolean isKnown(long change) {
        return kept >= change && peers.values().stream().noneMatch(each -> each.isOwed(change));
    }

    /** Shows all records again to those who have not answered: they knew of a take-over. */
    private void showAgain() {
        for (Peer each : peers.values()) {
            if (!areSettled && !each.refuses && each.isOwed(shown)) {
                showAll(each.link);
            }
        }
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
            LOG.warn(
                    "Copies: a change of followers is not on every disk after {} ms, and"
                            + " acknowledgements may wait for it: {}",
                    lateMs,
                    kept < made ? "not on that of this node" : "not on those of nodes " + late);
        }
    }
}
