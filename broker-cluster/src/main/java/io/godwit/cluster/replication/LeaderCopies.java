package io.godwit.cluster.replication;

import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.core.store.Confirmations;
import io.godwit.core.store.CopySets;
import io.godwit.core.store.CopyStore;
import io.godwit.core.store.PartListener;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The copies of this node's queues at other nodes. For each copy set it chooses as many followers
 * as {@code cluster.copies} asks for, among the nodes that are there. A follower that is gone is
 * replaced by the next one; without one, acknowledgements wait for the followers that are left.
 *
 * <p><b>Threads.</b> The commit thread calls what {@link PartListener} has, any thread asks {@link
 * #has}; everything else happens on the shard that owns this, {@code owner}.
 */
public final class LeaderCopies implements PartListener, Confirmations {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderCopies.class);

    /** A pause between two ticks that is longer counts as this: nobody was heard in it. */
    private static final long STEP_MAX_MS = 200;

    /** A follower that was given up is not chosen again for so long, while others are there. */
    private static final long AGAIN_MS = 10_000;

    /** So long after its start a node goes on with the followers that are there. */
    private static final long OPENING_MS = 3_000;

    /** A node that has come is chosen after so long. */
    private static final long STEADY_MS = 1_000;

    /** How often queues are counted while copies are missing. */
    private static final long COUNT_MS = 1_000;

    /** Streams of one start of this node; their names stay above those of the starts before. */
    private static final int STREAMS = 20;

    private final int self;
    private final CopySettings settings;
    private final CopyRules rules;
    private final LedCopySet[] sets = new LedCopySet[CopySets.LAST + 1];
    private final Map<Integer, CopyStream> streams = new TreeMap<>();
    private final Map<Integer, CopyFill> fills = new HashMap<>();
    private final Map<Integer, PeerLink> links = new TreeMap<>();
    private final ShownRecords shown;
    private final CopyRecords records;
    private final SlotClaims claims;
    private final CopyQuorum quorum;

    /** Whether followers are away that this node may not do without. */
    private boolean isHolding;

    /** Whether this node gives all that it leads, for which it has to have copies. */
    private boolean givesAll;

    /** The copy set that goes to a node next, which gets a copy first; 0: none. */
    private int nextSet;

    /** The server id of that node. */
    private int nextReceiver;

    /** Copy sets whose followers lack queues that this node takes over. */
    private final BitSet demoted = new BitSet();

    /** How often each copy set was demoted and not refilled. */
    private final int[] demotions = new int[CopySets.LAST + 1];

    /** The slots that this node led when it looked last. */
    private BitSet claim = new BitSet();

    /** How often slots of each copy set had been taken over when it looked last. */
    private long[] takeovers = new long[CopySets.LAST + 1];

    /** Since when there has been a link, by server id, in this node's own running time. */
    private final Map<Integer, Long> upSince = new HashMap<>();

    /** Nodes that were given up, by server id. */
    private final Map<Integer, GivenUp> givenUp = new HashMap<>();

    /** Queues of each copy set, counted now and then while copies are missing. */
    private int[] queues = new int[CopySets.LAST + 1];

    /** The links by which nodes have refused to follow, or have stopped, by server id. */
    private final Map<Integer, PeerLink> refused = new HashMap<>();

    private long countedMs;

    private @Nullable CopyStore store;
    private @Nullable Executor owner;
    private Runnable onConfirmed = () -> {};
    private long nextStart;

    /** Whether followers are others than in the records, or have other copies. */
    private boolean isUnrecorded;

    /** Whether no followers were chosen yet: what is written meanwhile waits for them. */
    private boolean isOpening;

    private long ranMs;
    private long tickedMs = Long.MIN_VALUE;
    private volatile CopyStatus status = CopyStatus.NONE;

    /** The comparison that is under way, or was the last one. */
    private @Nullable LeaderVerification verification;

    /** Comparisons in which a follower's copy differed. */
    private volatile long differing;

    /** Bytes that copies were filled with, and queues that were left out, by all fills. */
    private volatile long filledBytes;

    private volatile long leftOut;

    /** Bytes, and below queues, of those fills whose streams have ended. */
    private long filledBefore;

    private long leftOutBefore;

    /** Parts of the commit that is written now; on the commit thread. */
    private Map<Integer, List<byte[]>> parts = new TreeMap<>();

    /** Copy sets whose acknowledgements may have to wait, as a bit each. */
    private volatile int wanted;

    /**
     * By copy set: positions of the journal with the last part, and up to which it is confirmed.
     */
    private final AtomicLongArray written = new AtomicLongArray(CopySets.LAST + 1);

    private final AtomicLongArray confirmed = new AtomicLongArray(CopySets.LAST + 1);

    /**
     * @param self server id of this node
     * @param records takes this node's records
     */
    LeaderCopies(int self, CopySettings settings, CopyRules rules, CopyRecords records) {
        this.self = self;
        this.settings = settings;
        this.rules = rules;
        this.records = records;
        claims = records.claims();
        quorum = records.quorum();
        shown = new ShownRecords(self, sets.length, rules, records, this::onSettled);
        for (int set = 1; set < sets.length; set++) {
            sets[set] = new LedCopySet(set);
        }
    }

    /**
     * Connects it to its broker, before the shards run.
     *
     * @param startNumber of this start of the node
     * @param owner runs tasks on the shard that owns this
     * @param onConfirmed run when followers have confirmed something
     */
    public void attach(long startNumber, CopyStore store, Executor owner, Runnable onConfirmed) {
        this.nextStart = startNumber << STREAMS;
        this.store = store;
        this.owner = owner;
        this.onConfirmed = onConfirmed;
        shown.attach(startNumber);
        isOpening = rules.holds(CopyRule.OPENING_WAITS);
        noteWanted();
    }

    /** See {@link ShownRecords#attach(GroupsGivenUp)}. */
    void onGroupsTaken(GroupsGivenUp giveUp) {
        shown.attach(giveUp);
    }

    /**
     * Begins to choose followers. Acknowledgements wait until some are chosen, or nobody is there.
     *
     * @param hasMembers whether other nodes belong to the cluster
     */
    public void begin(boolean hasMembers) {
        isUnrecorded = true;
        if (!hasMembers) {
            shown.alone();
            endOpening();
        }
        look();
    }

    // ---------------------------------------------------------------- the commit thread

    @Override
    public boolean wants(int copySet) {
        return (wanted & 1 << copySet) != 0;
    }

    @Override
    public void onPart(long number, int copySet, byte[] body) {
        parts.computeIfAbsent(copySet, any -> new ArrayList<>(1)).add(body);
    }

    @Override
    public void onCommit(long position) {
        Map<Integer, List<byte[]>> told = parts;
        if (told.isEmpty()) {
            return; // Nobody follows.
        }
        parts = new TreeMap<>();
        told.keySet().forEach(set -> written.set(set, position));
        owner().execute(() -> add(position, told));
    }

    // ---------------------------------------------------------------- any thread

    @Override
    public boolean has(int copySet, long position) {
        return confirmed.get(copySet) >= Math.min(written.get(copySet), position)
                || !rules.holds(CopyRule.CONFIRM_WAITS);
    }

    /** Returns how the copies stand. */
    public CopyStatus status() {
        return status;
    }

    // ---------------------------------------------------------------- the owner

    private Executor owner() {
        Executor there = owner;
        if (there == null) {
            throw new IllegalStateException("not attached");
        }
        return there;
    }

    private CopyStore store() {
        CopyStore there = store;
        if (there == null) {
            throw new IllegalStateException("not attached");
        }
        return there;
    }

    private void add(long position, Map<Integer, List<byte[]>> told) {
        told.forEach((set, bodies) -> sets[set].add(position, bodies, isOpening));
        streams.values().forEach(CopyStream::send);
        look();
    }

    /** Tells who waits what is confirmed now, by the followers that the records have. */
    private void look() {
        if (isUnrecorded) {
            isUnrecorded = false;
            shown.update(sets);
            noteWanted();
        }
        boolean isMore = false;
        for (int set = 1; set < sets.length; set++) {
            long now = sets[set].confirmed();
            if (now > confirmed.get(set) && shown.isOpen(set)) {
                confirmed.set(set, now);
                isMore = true;
            }
        }
        if (isMore) {
            onConfirmed.run();
        }
    }

    /** Live members know no other records any more. */
    private void onSettled() {
        noteWanted();
        look();
        show();
    }

    public void onUp(PeerLink link) {
        links.put(link.peer().server(), link);
        shown.onUp(link);
        CopyStream stream = streams.get(link.peer().server());
        if (stream != null) {
            stream.onUp(link, claims.of(self));
        }
        upSince.put(link.peer().server(), ranMs);
        show();
    }

    public void onDown(PeerLink link) {
        if (links.remove(link.peer().server(), link)) {
            CopyStream stream = streams.get(link.peer().server());
            if (stream != null) {
                stream.onDown(link);
            }
            shown.onDown(link);
            show();
        }
    }

    /** Returns the record of each copy set that was made last. */
    List<CopyRecord> records() {
        return shown.latest();
    }

    /** A member has this node's records up to a change on its disk. */
    void onShown(PeerLink from, long change) {
        shown.onShown(from, change);
    }

    /** A member refuses this node's records. */
    void onShowRefused(PeerLink from, long change, List<CopyRecord> others) {
        shown.onRefused(from, change, others);
    }

    /** A link has room again. */
    public void onRoom(PeerLink link) {
        CopyStream stream = streams.get(link.peer().server());
        if (stream != null) {
            stream.send();
        }
    }

    /** Takes what a follower says of its stream. */
    void onAt(PeerLink from, long start, long opened, long received, long confirmedTo, int flags) {
        CopyStream stream = streams.get(from.peer().server());
        GivenUp before = givenUp.get(from.peer().server());
        if (before != null) {
            before.onAt(start, confirmedTo);
        }
        if (stream == null || stream.start != start) {
            return;
        }
        boolean wasFull = stream.isFull();
        boolean isFull = (flags & CopyMessages.AT_FULL) != 0;
        boolean goesOn = stream.onAt(from, opened, received, confirmedTo, isFull);
        if (stream.isFull() != wasFull) {
            LOG.warn(
                    wasFull
                            ? "Copies: the alarm of node {} has ended"
                            : "Copies: node {} has an alarm of disk or memory. Publishers wait",
                    stream.server);
        }
        if ((flags & CopyMessages.AT_LEAVES) != 0) {
            LOG.info("Copies: node {} stops, and is no follower any more", stream.server);
            refused.put(stream.server, from);
            replace(stream);
        } else if (goesOn) {
            look();
        } else {
            beginAnew(stream);
        }
    }

    /** Whether a follower has an alarm: it still takes everything, but publishers are to wait. */
    boolean isFollowerFull() {
        return streams.values().stream()
                .anyMatch(each ->
                        each.isFull() || isHolding && each.bytes() > settings.retainedBytes());
    }

    /** Whether a follower may be done without: it is not whole, or too few members are away. */
    private boolean mayGiveUp(CopyStream stream) {
        return stream.whole.isEmpty()
                || !rules.holds(CopyRule.SHRINK_NEEDS_QUORUM)
                || !quorum.isOutvoted(quorum::hears);
    }

    /** Has acknowledgements wait for a follower that is away: it may be about to take over. */
    private void hold(CopyStream stream) {
        stream.waitOn();
        if (!isHolding) {
            LOG.warn(
                    "Copies: node {} is away and stays a follower: more than half of the members"
                            + " are not heard, and may take over. Acknowledgements wait for them",
                    stream.server);
        }
    }

    /** A node can't follow: its store keeps nothing. It is not asked again by this link. */
    void onRefused(PeerLink from, long start) {
        CopyStream stream = streams.get(from.peer().server());
        if (stream != null && stream.start == start) {
            LOG.warn(
                    "Copies: node {} has no store on a disk (durability.store), and can't have any",
                    stream.server);
            refused.put(stream.server, from);
            replace(stream);
        }
    }

    /** Takes queues that a follower has copies of; a message may be one of several. */
    void onHas(PeerLink from, CopyMessages.Has told) {
        CopyStream stream = streams.get(from.peer().server());
        CopyFill fill = fills.get(from.peer().server());
        if (stream != null && fill != null && stream.start == told.start()) {
            fill.has(from, told);
        }
    }

    /**
     * Compares the copies with what this node has.
     *
     * @param turn of this node to describe its queues
     * @param limitMs within which it is told
     * @param then told once
     */
    void verify(DigestTurn turn, long limitMs, Consumer<LeaderVerdict> then) {
        LeaderVerification before = verification;
        if (before != null && !before.isOver()) {
            then.accept(LeaderVerdict.failed(settings.copies(), "another comparison is under way"));
            return;
        }
        int missing = 0;
        for (int set = 1; set < sets.length; set++) {
            missing += isWhole(set) ? 0 : 1;
        }
        LeaderVerification made =
                new LeaderVerification(
                        store(),
                        owner(),
                        turn,
                        Collections.unmodifiableCollection(streams.values()),
                        settings.copies(),
                        missing,
                        before == null ? 1 : before.nextNumber(),
                        limitMs,
                        verdict -> {
                            count(verdict);
                            then.accept(verdict);
                        });
        verification = made;
        made.begin();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    private void count(LeaderVerdict verdict) {
        for (LeaderVerdict.FollowerVerdict each : verdict.followers()) {
            differing = differing + (each.slotsDiffering() > 0 ? 1 : 0);
        }
    }

    /** Returns how many comparisons have found a copy that differs; any thread. */
    long differing() {
        return differing;
    }

    /** Returns how many bytes copies were filled with; any thread. */
    long filledBytes() {
        return filledBytes;
    }

    /** Returns how many queues fills have left out, since the copies had them; any thread. */
    long leftOut() {
        return leftOut;
    }

    /** Takes what a follower has at a mark. */
    void onDescribed(PeerLink from, VerifyMessages.Described answer) {
        LeaderVerification of = verification;
        if (of != null) {
            of.onDescribed(from, answer);
        }
    }

    private void beginAnew(CopyStream stream) {
        LOG.info(
                "Copies: node {} does not have what it confirmed before, and is filled anew",
                stream.server);
        List<Integer> of = stream.sets.stream().boxed().toList();
        List<StreamPart> left = end(stream);
        of.forEach(set -> follow(stream.server, set));
        passOn(left, any -> true);
        look();
        show();
    }

    /**
     * Time has passed.
     *
     * @param nowMs monotonic
     * @param mayFill false during an alarm: copies are not filled meanwhile
     */
    public void tick(long nowMs, boolean mayFill) {
        long passed = tickedMs == Long.MIN_VALUE ? 0 : nowMs - tickedMs;
        tickedMs = nowMs;
        long ran = Math.min(passed, STEP_MAX_MS);
        ranMs += ran;
        claim();
        streams.values().forEach(each -> each.askAgain(ran));
        giveUpFormerLeader();
        boolean isHeld = false;
        for (CopyStream each : List.copyOf(streams.values())) {
            boolean hasEnded = quorum.isAloneInItsEnd(each.server);
            boolean isGone = each.passed(ran, settings, hasEnded);
            if (isGone && !mayGiveUp(each)) {
                hold(each);
                isHeld = true;
                isHolding = true;
            } else if (isGone) {
                LOG.warn(
                        "Copies: node {} is no follower any more: it was away or confirmed nothing"
                                + " for {} ms, or {} bytes wait for it",
                        each.server,
                        hasEnded ? CopySettings.ENDED_MS : settings.goneMs(),
                        each.bytes());
                replace(each);
            }
        }
        isHolding = isHeld;
        boolean mayChoose = !isOpening || ranMs >= OPENING_MS || areEnoughThere();
        if (mayChoose) {
            choose();
        }
        if (isOpening && mayChoose) {
            // Before anything is filled: what waits for followers is the first of their streams.
            endOpening();
        }
        for (CopyFill each : fills.values()) {
            isUnrecorded |= each.passed(ran, mayFill);
        }
        streams.values().forEach(CopyStream::send);
        isUnrecorded |= shown.isOutdone();
        noteWanted(); // Sets open when others have switched over.
        look();
        shown.passed(ran, settings.goneMs());
        LeaderVerification of = verification;
        if (of != null && !of.isOver()) {
            of.tick(ran);
        }
        show();
    }

    /**
     * Opens all streams again when this node leads other slots than it has said. What followers
     * were sent of those that it led was not taken, if they knew; and one of them may still serve
     * sessions of those that it leads now, which must not be written before they are copies.
     */
    private void claim() {
        BitSet now = claims.of(self);
        if (!now.equals(claim)) {
            claim = now;
            streams.values().forEach(each -> each.open(now));
        }
    }

    /** The table of this node has changed. */
    void onLeaders() {
        claim();
        noteTakeovers();
        noteWanted();
        look();
        show();
    }

    /**
     * Has new records made of copy sets of which slots were taken over: the last ones may have been
     * outdone, unheard by this node, though it leads slots of them again.
     */
    private void noteTakeovers() {
        long[] now = claims.takeovers();
        BitSet more = new BitSet();
        for (int set = 1; set < sets.length; set++) {
            more.set(set, now[set] > takeovers[set]);
        }
        takeovers = now;
        if (!more.isEmpty()) {
            shown.outdone(more);
            isUnrecorded = true;
        }
    }

    /**
     * Calls nobody whole any more in some copy sets: this node takes queues over that their
     * followers lack. Until {@link #refill} nobody becomes whole there; a set that was demoted
     * twice has to be refilled twice.
     *
     * @param whenShown run when the records say so on the disks of this node and of each live one
     */
    public void demote(BitSet copySets, Runnable whenShown) {
        if (!rules.holds(CopyRule.DEMOTE_FIRST)) {
            whenShown.run();
            return;
        }
        copySets.stream().forEach(set -> demotions[set]++);
        demoted.or(copySets);
        streams.values().forEach(each -> each.whole.andNot(copySets));
        isUnrecorded = true;
        look();
        shown.whenSettled(copySets, whenShown);
    }

    /** Fills some copy sets anew at all their followers: this node has the queues now. */
    public void refill(BitSet copySets) {
        giveUpFormerLeader();
        copySets.stream()
                .forEach(set -> {
                    demotions[set] = Math.max(0, demotions[set] - 1);
                    demoted.set(set, demotions[set] > 0);
                    for (CopyStream each : sets[set].followers) {
                        CopyFill fill = fills.get(each.server);
                        if (fill != null) {
                            fill.again(set);
                        }
                    }
                });
        show();
    }

    /**
     * Gives copy sets to their first followers, which take them over: nothing of these sets is
     * acknowledged here from now on, until the follower has withdrawn. Those without a whole
     * follower that is heard stay here.
     *
     * @param mayLead by server id of a follower
     * @return the sets that are given now
     */
    public BitSet give(BitSet copySets, IntPredicate mayLead) {
        Map<Integer, Integer> followers = takers(copySets, mayLead);
        if (!followers.isEmpty()) {
            LOG.info("Copies: copy sets are given to nodes, by set: {}", followers);
            shown.give(followers);
            noteWanted();
        }
        return keys(followers);
    }

    /** Returns those of some copy sets that {@link #give} would give now. */
    public BitSet givable(BitSet copySets, IntPredicate mayLead) {
        return keys(takers(copySets, mayLead));
    }

    private static BitSet keys(Map<Integer, Integer> of) {
        BitSet keys = new BitSet();
        of.keySet().forEach(keys::set);
        return keys;
    }

    /** Finds to whom copy sets may be given, by set. */
    private Map<Integer, Integer> takers(BitSet copySets, IntPredicate mayLead) {
        look();
        Map<Integer, Integer> followers = new TreeMap<>();
        copySets.stream()
                .filter(set -> !demoted.get(set))
                .forEach(set -> {
                    CopyRecord record = shown.settled(set);
                    if (record != null) {
                        Set<Integer> whole = new TreeSet<>(record.whole());
                        whole.removeIf(each -> !quorum.hears(each) || !mayLead.test(each));
                        CopyOrder.order(self, set, whole).stream()
                                .findFirst()
                                .ifPresent(first -> followers.put(set, first));
                    }
                });
        return followers;
    }

    /** Returns the highest position of the journal with a part; any thread. */
    public long written() {
        long highest = 0;
        for (int set = 1; set < sets.length; set++) {
            highest = Math.max(highest, written.get(set));
        }
        return highest;
    }

    /** Whether followers have confirmed everything up to a position of the journal; any thread. */
    public boolean hasAll(long position) {
        for (int set = 1; set < sets.length; set++) {
            if (!has(set, position)) {
                return false;
            }
        }
        return true;
    }

    /** Whether copy sets were given that no follower has taken over yet. */
    public boolean isGiving() {
        return shown.isGiving();
    }

    /** See {@link NodeCopies#giveAll}. */
    void giveAll(boolean now) {
        givesAll = now;
    }

    /** See {@link NodeCopies#copyFirst}; set 0: none. */
    void copyFirst(int copySet, int receiver) {
        nextSet = copySet;
        nextReceiver = receiver;
    }

    /** Returns how many copies are wanted now, this node's included. */
    private int copies() {
        return givesAll ? settings.copiesToGive() : settings.copies();
    }

    /** Whether as many nodes may follow as are wanted. */
    private boolean areEnoughThere() {
        return links.keySet().stream().filter(this::mayFollow).count() >= copies() - 1;
    }

    private void endOpening() {
        isOpening = false;
        for (int set = 1; set < sets.length; set++) {
            sets[set].endOpening();
        }
        noteWanted();
        look();
    }

    /** Gives up a follower. Others take its place if they are there, and what it was owed. */
    private void replace(CopyStream gone) {
        PeerLink link = links.get(gone.server);
        givenUp.put(gone.server, new GivenUp(gone, link, ranMs + AGAIN_MS));
        List<StreamPart> left = end(gone);
        int[] had = new int[sets.length];
        for (int set = 1; set < sets.length; set++) {
            had[set] = sets[set].followers.size();
        }
        choose();
        passOn(left, set -> sets[set].followers.size() > had[set]);
        look();
    }

    /**
     * Passes on what a follower has not confirmed to the one that was chosen last; where there is
     * none, nobody waits for it any more.
     */
    private void passOn(List<StreamPart> left, IntPredicate hasNew) {
        for (StreamPart each : left) {
            AwaitedParts awaited = each.awaited;
            if (awaited == null) {
                continue;
            }
            if (hasNew.test(each.copySet) && rules.holds(CopyRule.OWED_IS_PASSED_ON)) {
                List<CopyStream> followers = sets[each.copySet].followers;
                followers.getLast().add(new StreamPart(each.copySet, each.body, awaited));
            } else {
                awaited.missing--;
            }
        }
    }

    private List<StreamPart> end(CopyStream stream) {
        streams.remove(stream.server, stream);
        CopyFill fill = fills.remove(stream.server);
        if (fill != null) {
            filledBefore += fill.filledBytes();
            leftOutBefore += fill.leftOut();
        }
        for (int set = 1; set < sets.length; set++) {
            sets[set].followers.remove(stream);
        }
        isUnrecorded = true;
        return stream.end();
    }

    /**
     * Gives each copy set the followers that it prefers among the nodes that are there. Those that
     * it has stay until the preferred ones have everything.
     */
    private void choose() {
        List<Integer> live = links.keySet().stream().filter(this::mayFollow).toList();
        List<Integer> again = links.keySet().stream().filter(this::mayFollowAlone).toList();
        for (int set = 1; set < sets.length; set++) {
            Set<Integer> candidates = new TreeSet<>(live);
            // One that is away for a moment is not given up yet.
            sets[set].followers.forEach(each -> candidates.add(each.server));
            if (set == CopySets.GROUPS) {
                candidates.removeIf(records::areGroupsTaken);
            }
            if (set == nextSet && !givesAll) {
                candidates.retainAll(Set.of(nextReceiver));
                choose(sets[set], List.copyOf(candidates));
                continue;
            }
            List<Integer> order = new ArrayList<>(CopyOrder.order(self, set, candidates));
            if (order.size() < copies() - 1) {
                int of = set;
                CopyOrder.order(self, set, again).stream()
                        .filter(each -> !candidates.contains(each))
                        .filter(each -> of != CopySets.GROUPS || !records.areGroupsTaken(each))
                        .forEach(order::add);
            }
            choose(sets[set], order.subList(0, Math.min(copies() - 1, order.size())));
        }
    }

    private void choose(LedCopySet set, List<Integer> preferred) {
        boolean areWhole = true;
        for (int server : preferred) {
            CopyStream stream = set.follower(server);
            if (stream == null) {
                follow(server, set.number);
            }
            areWhole &= stream != null && stream.whole.get(set.number);
        }
        boolean isGiven = records.isGiven(set.number); // To one that has not taken it over yet.
        if (areWhole && set.followers.size() >= copies() && !isGiven) {
            for (CopyStream each : List.copyOf(set.followers)) {
                if (!preferred.contains(each.server) && mayGiveUp(each)) {
                    unfollow(each, set);
                }
            }
        }
    }

    /**
     * Gives up a follower whose queues of groups this node has taken over. It follows no queues of
     * groups before it has given up its own: they are the same.
     */
    private void giveUpFormerLeader() {
        for (CopyStream each : List.copyOf(sets[CopySets.GROUPS].followers)) {
            if (records.hasTakenGroups(each.server) && mayGiveUp(each)) {
                LOG.info(
                        "Copies: node {} is no follower any more: this node has its queues of groups",
                        each.server);
                replace(each);
            }
        }
    }

    private boolean mayFollow(int server) {
        GivenUp before = givenUp.get(server);
        return isThere(server) && (before == null || before.isOver(ranMs));
    }

    /** Whether a node that was given up may follow, if not enough others are there. */
    private boolean mayFollowAlone(int server) {
        GivenUp before = givenUp.get(server);
        PeerLink link = links.get(server);
        return isThere(server) && before != null && link != null && before.isHeard(link);
    }

    private boolean isThere(int server) {
        PeerLink link = links.get(server);
        return link != null
                && link.state() == LinkState.UP
                && refused.get(server) != link
                && ranMs - upSince.getOrDefault(server, 0L) >= STEADY_MS;
    }

    /** Ends the copy of a set at one of its followers: others have all that are wanted. */
    private void unfollow(CopyStream stream, LedCopySet set) {
        set.followers.remove(stream);
        stream.unfollow(set.number);
        CopyFill fill = fills.get(stream.server);
        if (fill != null) {
            fill.remove(set.number);
        }
        isUnrecorded = true;
    }

    private void follow(int server, int set) {
        CopyStream stream = streams.get(server);
        if (stream == null) {
            stream = new CopyStream(server, ++nextStart, rules);
            streams.put(server, stream);
            fills.put(
                    server,
                    new CopyFill(
                            self,
                            stream,
                            store(),
                            owner(),
                            settings,
                            rules,
                            () -> claims.of(self),
                            demoted));
            PeerLink link = links.get(server);
            if (link != null) {
                stream.onUp(link, claims.of(self));
            }
        }
        stream.sets.set(set);
        sets[set].followers.add(stream);
        isUnrecorded = true;
        noteWanted();
        CopyFill fill = fills.get(server);
        if (fill != null) {
            fill.add(set);
        }
    }

    private void noteWanted() {
        int now = 0;
        for (int set = 1; set < sets.length; set++) {
            boolean mayWait = isOpening || !shown.isOpen(set);
            now |= sets[set].followers.isEmpty() && !mayWait ? 0 : 1 << set;
        }
        wanted = now;
    }

    /** Bytes that are kept for followers. */
    public long bytes() {
        long bytes = 0;
        for (int set = 1; set < sets.length; set++) {
            bytes += sets[set].earlyBytes();
        }
        for (CopyStream each : streams.values()) {
            bytes += each.bytes();
        }
        return bytes;
    }

    private void show() {
        List<CopyStatus.Follower> followers = new ArrayList<>();
        for (CopyStream each : streams.values()) {
            CopyFill fill = fills.get(each.server);
            followers.add(
                    new CopyStatus.Follower(
                            each.server,
                            each.sets.cardinality(),
                            each.whole.cardinality(),
                            fill == null ? 0 : fill.filledBytes(),
                            each.unconfirmedParts(),
                            each.bytes(),
                            each.isFull(),
                            each.last(),
                            each.confirmed()));
        }
        filledBytes = filledBefore + fills.values().stream().mapToLong(CopyFill::filledBytes).sum();
        leftOut = leftOutBefore + fills.values().stream().mapToLong(CopyFill::leftOut).sum();
        int whole = 0;
        long missing = 0;
        boolean isFilled = true;
        for (int set = 1; set < sets.length; set++) {
            if (isWhole(set)) {
                whole++;
            } else {
                missing += queues[set];
                isFilled &= sets[set].followers.size() >= settings.copies() - 1;
            }
        }
        long leftMs = isFilled ? leftMs() : -1;
        status =
                new CopyStatus(
                        settings.copies(),
                        sets.length - 1,
                        whole,
                        missing,
                        leftMs,
                        followers,
                        records(),
                        isHolding || shown.waitingForMembers() > 0);
        if (whole < sets.length - 1 && ranMs >= countedMs + COUNT_MS) {
            countedMs = ranMs;
            store().countQueues(found -> owner().execute(() -> queues = found));
        }
    }

    /** Whether enough live members have whole copies of a set, and every live member knows that. */
    private boolean isWhole(int set) {
        return shown.settledWhole(set).stream().filter(quorum::hears).count()
                >= settings.copies() - 1;
    }

    private long leftMs() {
        return fills.values().stream().mapToLong(each -> each.leftMs(queues)).max().orElse(0);
    }
}
