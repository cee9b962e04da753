package io.godwit.cluster.replication;

import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.core.store.CopySets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when this node takes over the sessions of a leader that is gone. For each leader:
 *
 * <pre>
 * FOLLOWING  away for a sixth of cluster.failover-timeout, and ended;
 *            or so long since its open connection is
 *            silent, and another node is live; or away
 *            for all of it                               ASKING: every live member is asked
 * ASKING     a live member hears the leader              FOLLOWING, for a second
 *            all live ones have answered, and this node
 *            is to take copy sets over, and may          PROPOSING: records say so, here first,
 *                                                        and at every live member
 *            nothing is to be taken over                 FOLLOWING, for a second
 * PROPOSING  a member refuses, or too few accept         FOLLOWING, and the records are withdrawn
 *            all live ones have accepted, and more than
 *            half of the members that count              DEMOTING: of these sets nobody is whole
 * DEMOTING   on all disks                                TAKEN: the slots are taken over
 *            on all disks, after a pause of this node,
 *            or a member has come meanwhile              ASKING
 * TAKEN      the leader leads nothing of them any more   FOLLOWING
 * others     the leader is heard                         FOLLOWING, and the records are withdrawn
 *
 * FOLLOWING  the leader is heard, and its records name
 *            this node: it gives the copy sets           PROPOSING: the leader is asked like others,
 *                                                        and who has not heard of it is asked again
 * </pre>
 *
 * <p>The highest record that any live member knows decides: a node takes a copy set over when that
 * record calls it whole, and no live node before it in the order of the set. A member that has
 * accepted refuses what the leader shows later. It asks the node that has taken the set over
 * whether it has withdrawn. Away is who has no link that is up; times are this node's own running
 * time. On the shard that owns the topic index.
 */
final class Succession {
    private static final Logger LOG = LoggerFactory.getLogger(Succession.class);

    /** A pause between two ticks that is longer counts as this. */
    private static final long STEP_MAX_MS = 200;

    /** Names what a member asks without waiting for an answer. */
    private static final long NO_QUESTION = 0;

    private enum State {
        FOLLOWING,
        ASKING,
        PROPOSING,
        DEMOTING,
        TAKEN
    }

    /** What is known of a leader that is away. */
    private static final class Away {
        State state = State.FOLLOWING;
        long awayMs;

        /** Whether its connection was open when it was not heard any more. */
        boolean wasSilent;

        /** When members may be asked again. */
        long askFromMs;

        long question;

        /** Members that have not answered yet. */
        final Set<Integer> awaited = new TreeSet<>();

        /** What members are to accept. */
        List<CopyRecord> proposed = List.of();

        /** Members that have accepted it. */
        final Set<Integer> accepted = new TreeSet<>();

        /** By live member that has answered: copy sets of the leader for which it counts. */
        final Map<Integer, BitSet> fresh = new TreeMap<>();

        /** Copy sets that another node takes over, as members say. */
        final BitSet othersSets = new BitSet();

        /** Whether some other node has said that it does not hear the leader. */
        boolean isConfirmed;

        /** Records that were told are on their way to the disk. */
        int saving;

        /** Copy sets that are demoted, or taken over. */
        final BitSet copySets = new BitSet();

        /** Something has happened since the answers: they are asked for again. */
        boolean isStale;

        /**
         * Copy sets that this node has taken over, until the leader knows: the record of the
         * take-over stays, also when the leader is given other slots of them.
         */
        final BitSet tookOver = new BitSet();

        /** Whether the leader is heard, and gives what is proposed. */
        boolean isGiven;

        /** How long the leader has been giving it. */
        long givenMs;

        /** Members that have yet to hear of what the leader gives. */
        final Set<Integer> lacking = new TreeSet<>();
    }

    private final int self;
    private final SuccessionTimes times;
    private final CopyRules rules;
    private final CopyRecords records;
    private final CopyQuorum quorum;
    private final BooleanSupplier knowsTables;
    private final OwnSets own;
    private final Successor successor;
    private final Map<Integer, PeerLink> links = new TreeMap<>();
    private final Map<Integer, Away> leaders = new TreeMap<>();
    private Set<Integer> forgotten = Set.of();

    /**
     * By forgotten leader: copy sets of which no member has a whole copy. Replaced, not changed.
     */
    private volatile Map<Integer, BitSet> lost = Map.of();

    /** By leader: copy sets that wait for it, see {@link #unheard}. Replaced, not changed. */
    private volatile Map<Integer, BitSet> unheard = Map.of();

    /** By copy set that this node gives: slots of it that nobody has taken over yet. */
    private final Map<Integer, BitSet> giving = new TreeMap<>();

    /** When those to whom this node has given copy sets are asked again. */
    private long askTakersMs;

    /** When leaders are told again that their groups' queues were taken over. */
    private long tellGroupsFromMs;

    private long questions;
    private long ranMs;
    private long tickedMs = Long.MIN_VALUE;

    /** The copy sets of this node's own queues. */
    interface OwnSets {
        /** Calls nobody whole any more; run when the disks of all live nodes say so. */
        void demote(BitSet copySets, Runnable whenShown);

        /** Ends one demotion of each. */
        void refill(BitSet copySets);
    }

    /**
     * @param self server id of this node
     * @param records of all leaders; its claims know who leads which slots
     * @param knowsTables whether this node has heard of all live members who leads which slots
     */
    Succession(
            int self,
            SuccessionTimes times,
            CopyRules rules,
            CopyRecords records,
            BooleanSupplier knowsTables,
            OwnSets own,
            Successor successor) {
        this.self = self;
        this.times = times;
        this.rules = rules;
        this.records = records;
        this.knowsTables = knowsTables;
        this.own = own;
        this.successor = successor;
        quorum = records.quorum();
        records.attach(
                new CopyRecords.Takers() {
                    @Override
                    public boolean isTaking(int leader) {
                        Away away = leaders.get(leader);
                        return away != null && isUnderWay(away);
                    }

                    @Override
                    public void onRefused(int taker, int leader) {
                        askTaker(taker, leader);
                    }
                });
    }

    private static boolean isUnderWay(Away away) {
        return switch (away.state) {
            case FOLLOWING, ASKING -> false;
            case PROPOSING, DEMOTING, TAKEN -> true;
        };
    }

    // ---------------------------------------------------------------- links and time

    void onUp(PeerLink link) {
        int server = link.peer().server();
        links.put(server, link);
        leaders.forEach((leader, away) -> {
            // It may hear the leader, or know higher records.
            boolean asks = away.state == State.ASKING || away.state == State.PROPOSING;
            if (asks && (leader != server || away.isGiven)) {
                ask(leader, away, server);
            }
            away.isStale = true;
        });
    }

    void onDown(PeerLink link) {
        links.remove(link.peer().server(), link);
    }

    /** Takes which nodes do not belong to the cluster any more. They are taken over from. */
    void forgotten(Set<Integer> servers) {
        forgotten = servers;
        Map<Integer, BitSet> still = new TreeMap<>(lost);
        still.keySet().retainAll(servers);
        lost = still;
    }

    /**
     * Whether slots of a forgotten leader may be led without their sessions: no member has a whole
     * copy, as all live ones say. Any thread.
     */
    boolean isLost(int leader, int copySet) {
        BitSet copySets = lost.get(leader);
        return copySets != null && copySets.get(copySet);
    }

    /**
     * Returns the copy sets that are lost if a leader never comes back: it leads slots of them, or
     * has queues of groups, and no member has a whole copy, as far as this node knows.
     */
    BitSet lostWith(int leader) {
        BitSet copySets = ledSets(leader);
        records.of(leader).stream()
                .filter(each -> quorum.hasMember(each.whole()))
                .forEach(each -> copySets.clear(each.copySet()));
        return copySets;
    }

    /**
     * Notes which copy sets of a forgotten leader nobody has, after all live members were asked.
     */
    private void noteLost(int leader) {
        BitSet none = new BitSet();
        none.set(1, CopySets.LAST + 1);
        records.of(leader).stream()
                .filter(each -> quorum.hasMember(each.whole()))
                .forEach(each -> none.clear(each.copySet()));
        Map<Integer, BitSet> now = new TreeMap<>(lost);
        now.put(leader, none);
        lost = now;
    }

    /**
     * Returns copy sets by their leader, which is away, that a live node has whole copies of and
     * nobody takes over: there are enough live members, but too many of them have not heard the
     * leader since they started. Any thread.
     */
    Map<Integer, BitSet> unheard() {
        return unheard;
    }

    private void noteUnheard(int leader, BitSet copySets) {
        if (!copySets.equals(unheard.getOrDefault(leader, new BitSet()))) {
            Map<Integer, BitSet> now = new TreeMap<>(unheard);
            now.put(leader, copySets);
            now.values().removeIf(BitSet::isEmpty);
            unheard = now;
        }
    }

    /** Returns the copy sets that this node or another live one would take over otherwise. */
    private BitSet unheard(int leader, Away away, BitSet led) {
        BitSet copySets = new BitSet();
        if (away.awayMs < times.failoverMs() || !quorum.isMajority(this::isLive, server -> true)) {
            return copySets;
        }
        Set<Integer> there = live();
        there.add(self);
        for (CopyRecord each : records.of(leader)) {
            int set = each.copySet();
            boolean isOthers = away.othersSets.get(set) || isTakenByOther(each);
            boolean hasWhole = each.whole().stream().anyMatch(there::contains);
            boolean isWaiting = led.get(set) && hasWhole && !isOthers;
            copySets.set(set, isWaiting && !mayTake(each, away, this::isLive));
        }
        return copySets;
    }

    /**
     * Time has passed.
     *
     * @param nowMs monotonic
     */
    void tick(long nowMs) {
        long passed = tickedMs == Long.MIN_VALUE ? 0 : nowMs - tickedMs;
        tickedMs = nowMs;
        long ran = Math.min(passed, STEP_MAX_MS);
        ranMs += ran;
        if (passed >= SuccessionTimes.PAUSE_MS) {
            leaders.values().forEach(this::onPause);
        }
        boolean tellsGroups = ranMs >= tellGroupsFromMs;
        tellGroupsFromMs = tellsGroups ? ranMs + SuccessionTimes.AGAIN_MS : tellGroupsFromMs;
        Set<Integer> all = new TreeSet<>(records.leaders());
        all.addAll(forgotten);
        for (int leader : all) {
            if (leader != self) {
                if (tellsGroups && isLive(leader)) {
                    records.tellGroupsTaken(links.get(leader));
                }
                if (records.isSomeTaken(leader) && knowsTables.getAsBoolean()) {
                    records.releaseTaken(leader, ledSets(leader));
                }
                Away away = leaders.computeIfAbsent(leader, any -> new Away());
                for (CopyRecord each : records.of(leader)) {
                    away.tookOver.set(each.copySet(), isOver(each)); // It was released.
                }
                look(leader, away, ran);
            }
        }
        lookAtGiven();
    }

    /** The table of this node has changed, or it gives copy sets. */
    void onLeaders() {
        for (int leader : records.leaders()) {
            Away away = leaders.get(leader);
            if (away != null && away.state == State.TAKEN) {
                look(leader, away, 0);
            }
            boolean isSomeTaken = leader != self && records.isSomeTaken(leader);
            if (isSomeTaken && knowsTables.getAsBoolean()) {
                records.releaseTaken(leader, ledSets(leader));
            }
        }
        endGiven();
    }

    /** Ends what this node gives when all of it was led elsewhere since. */
    private void endGiven() {
        if (!records.isSomeTaken(self)) {
            giving.clear();
            return;
        }
        BitSet over = new BitSet();
        BitSet led = records.claims().of(self);
        for (CopyRecord each : records.of(self)) {
            int set = each.copySet();
            if (each.isTaken()) {
                BitSet left = giving.computeIfAbsent(set, any -> slotsOf(set, led));
                left.and(led);
                over.set(set, left.isEmpty());
            } else {
                giving.remove(set);
            }
        }
        records.releaseOwn(over);
    }

    private static BitSet slotsOf(int copySet, BitSet led) {
        BitSet only = new BitSet();
        only.set(copySet);
        BitSet slots = CopySets.slots(only);
        slots.and(led);
        return slots;
    }

    /** Ends what this node gives, or asks whether it was withdrawn. */
    private void lookAtGiven() {
        endGiven();
        if (records.isSomeTaken(self) && ranMs >= askTakersMs) {
            askTakersMs = ranMs + SuccessionTimes.AGAIN_MS;
            records.of(self).stream()
                    .filter(CopyRecord::isTaken)
                    .map(CopyRecord::takenBy)
                    .distinct()
                    .forEach(taker -> askTaker(taker, self));
        }
    }

    /** This node did not run: others may have heard the leader since they answered. */
    private void onPause(Away away) {
        away.isStale = true;
        if (away.state == State.ASKING || away.state == State.PROPOSING) {
            away.state = State.FOLLOWING; // Its records are withdrawn when it is looked at.
        }
    }

    private boolean isLive(int server) {
        PeerLink link = links.get(server);
        return link != null && link.state() == LinkState.UP;
    }

    private boolean isSilent(int server) {
        PeerLink link = links.get(server);
        return link != null && link.state() == LinkState.SILENT;
    }

    private Set<Integer> live() {
        Set<Integer> live = new TreeSet<>();
        links.keySet().stream().filter(this::isLive).forEach(live::add);
        return live;
    }

    // ---------------------------------------------------------------- one leader

    private void look(int leader, Away away, long ran) {
        boolean isHeard = isLive(leader);
        away.awayMs = isHeard ? 0 : away.awayMs + ran;
        away.wasSilent = !isHeard && (away.wasSilent || isSilent(leader));
        if (isHeard) {
            noteUnheard(leader, new BitSet());
        }
        switch (away.state) {
            case FOLLOWING -> {
                if (isHeard && !away.copySets.isEmpty()) {
                    follow(leader, away);
                } else if (isHeard) {
                    takeGiven(leader, away);
                } else if (isDue(leader, away)) {
                    if (ledSets(leader).isEmpty()) {
                        noteUnheard(leader, new BitSet());
                    } else {
                        askAll(leader, away);
                    }
                }
            }
            case ASKING, PROPOSING -> {
                if (away.isGiven) {
                    away.givenMs += ran;
                    goOnGiven(leader, away, isHeard);
                } else if (isHeard) {
                    follow(leader, away);
                } else {
                    goOnIfTold(leader, away);
                }
            }
            case DEMOTING -> {
                // It goes on when the records are shown.
                if (isHeard && !away.isGiven) {
                    follow(leader, away);
                }
            }
            case TAKEN -> endIfTaken(leader, away);
        }
        if (away.state == State.FOLLOWING && knowsTables.getAsBoolean()) {
            withdraw(leader); // Of a start before.
        }
    }

    /**
     * Ends a take-over when the leader leads nothing of it by this node's table. Asked at once: it
     * may be given other slots soon.
     */
    private void endIfTaken(int leader, Away away) {
        BitSet left = ledSets(leader);
        left.and(away.copySets);
        if (left.isEmpty()) {
            away.tookOver.or(away.copySets);
            follow(leader, away);
        }
    }

    /**
     * Notes that this node has taken copy sets over in an earlier start, and the leader may not
     * know.
     */
    void tookOver(int leader, BitSet copySets) {
        leaders.computeIfAbsent(leader, any -> new Away()).tookOver.or(copySets);
    }

    /** Whether a record is that of a take-over by this node which is complete. */
    private boolean isOver(CopyRecord each) {
        Away away = leaders.get(each.leader());
        return away != null && each.takenBy() == self && away.tookOver.get(each.copySet());
    }

    /** Returns the records by which this node is to take copy sets over, and has not done so. */
    private List<CopyRecord> mine(int leader) {
        BitSet led = ledSets(leader);
        return records.of(leader).stream()
                .filter(each -> each.takenBy() == self && led.get(each.copySet()))
                .filter(each -> !isOver(each))
                .toList();
    }

    /** Takes over what a leader gives. Its own answer says whether it does so still. */
    private void takeGiven(int leader, Away away) {
        List<CopyRecord> given = mine(leader);
        if (given.isEmpty()
                || !knowsTables.getAsBoolean()
                || !given.stream().allMatch(this::mayTakeGiven)) {
            return;
        }
        away.isGiven = true;
        away.isStale = false;
        away.givenMs = 0;
        away.saving++;
        begin(State.PROPOSING, leader, away, given);
        records.put(
                List.of(),
                () -> {
                    away.saving--;
                    goOnIfProposing(leader, away);
                });
    }

    /**
     * Whether this node has a whole copy, and does not give its own queues of the set meanwhile: it
     * could not demote them.
     */
    private boolean mayTakeGiven(CopyRecord record) {
        return record.whole().contains(self) && !records.isGiven(record.copySet());
    }

    private void goOnIfProposing(int leader, Away away) {
        if (leaders.get(leader) == away && away.state == State.PROPOSING) {
            goOnIfTold(leader, away);
        }
    }

    /** Asks those again that have yet to hear of what the leader gives. */
    private void goOnGiven(int leader, Away away, boolean isHeard) {
        boolean isOver = away.givenMs >= SuccessionTimes.GIVEN_MS;
        if (!isHeard || isOver || !records.of(leader).containsAll(away.proposed)) {
            follow(leader, away);
            return;
        }
        Set<Integer> again = new TreeSet<>(away.lacking);
        away.lacking.clear();
        again.forEach(member -> ask(leader, away, member));
        goOnIfTold(leader, away);
    }

    /** Nothing comes of a take-over: members hear so when they ask. */
    private void withdraw(int leader) {
        List<CopyRecord> mine = mine(leader).stream().map(CopyRecord::withdrawn).toList();
        if (!mine.isEmpty()) {
            records.put(mine, () -> {});
        }
    }

    private boolean isDue(int leader, Away away) {
        boolean isOther = links.keySet().stream().anyMatch(this::isLive);
        boolean isGone = away.wasSilent || forgotten.contains(leader);
        boolean isSoon = quorum.hasEnded(leader) || isGone && isOther;
        long dueMs = isGone ? times.failoverMs() : times.closedMs();
        return away.awayMs >= (isSoon ? times.awayMs() : dueMs)
                && ranMs >= away.askFromMs
                && knowsTables.getAsBoolean();
    }

    /**
     * Returns the copy sets of sessions in which a node leads slots, and that of its groups while
     * nobody has taken it over for good: no table says who leads that one, but the record itself.
     */
    private BitSet ledSets(int leader) {
        BitSet copySets = new BitSet();
        copySets.set(CopySets.GROUPS, areGroupsLeft(leader));
        records.claims().of(leader).stream().forEach(slot -> copySets.set(CopySets.ofSlot(slot)));
        return copySets;
    }

    private boolean areGroupsLeft(int leader) {
        CopyRecord groups = records.ofGroups(leader);
        return groups != null
                && !groups.isDecided()
                && (!forgotten.contains(leader) || quorum.hasMember(groups.whole()));
    }

    private void follow(int leader, Away away) {
        if (away.state != State.TAKEN && !away.copySets.isEmpty()) {
            own.refill((BitSet) away.copySets.clone()); // They were demoted for nothing.
        }
        away.state = State.FOLLOWING;
        away.isGiven = false;
        away.askFromMs = ranMs + SuccessionTimes.AGAIN_MS;
        away.proposed = List.of();
        away.awaited.clear();
        withdraw(leader);
        away.copySets.clear();
    }

    // ---------------------------------------------------------------- questions

    private void askAll(int leader, Away away) {
        away.isGiven = false;
        away.isConfirmed = !rules.holds(CopyRule.ASK_ALL);
        away.isStale = false;
        away.othersSets.clear();
        begin(State.ASKING, leader, away, List.of());
    }

    private void begin(State state, int leader, Away away, List<CopyRecord> proposed) {
        away.state = state;
        away.question = ++questions;
        away.proposed = proposed;
        away.accepted.clear();
        away.awaited.clear();
        away.lacking.clear();
        away.fresh.clear();
        live().forEach(member -> ask(leader, away, member));
        goOnIfTold(leader, away);
    }

    private void ask(int leader, Away away, int member) {
        PeerLink link = links.get(member);
        if (link != null) {
            away.awaited.add(member);
            away.fresh.remove(member);
            link.offer(new CopyMessages.AskAbout(away.question, leader, away.proposed));
        }
    }

    /** A member asks what this node knows of a leader, and perhaps that it accepts records. */
    void onAsk(PeerLink from, CopyMessages.AskAbout asked) {
        if (asked.proposed().isEmpty()) {
            answer(from, asked);
        } else {
            // Of a leader that is heard it is accepted if that one has shown it itself.
            int follower = from.peer().server();
            List<CopyRecord> news = hears(asked.leader()) ? List.of() : asked.proposed();
            records.accept(follower, news, () -> answer(from, asked));
        }
    }

    private void answer(PeerLink to, CopyMessages.AskAbout asked) {
        int leader = asked.leader();
        to.offer(
                new CopyMessages.About(
                        asked.question(),
                        hears(leader),
                        records.fresh(leader),
                        records.of(leader)));
    }

    private boolean hears(int leader) {
        boolean isHeard = leader == self || isLive(leader);
        return isHeard && rules.holds(CopyRule.REFUSE_WHILE_HEARD);
    }

    /** Asks a node that has taken copy sets over whether it has withdrawn. */
    private void askTaker(int taker, int leader) {
        PeerLink link = links.get(taker);
        if (link != null) {
            link.offer(new CopyMessages.AskAbout(NO_QUESTION, leader, List.of()));
        }
    }

    /** A member has answered. */
    void onAbout(PeerLink from, CopyMessages.About about) {
        int member = from.peer().server();
        if (about.question() == NO_QUESTION) {
            records.learn(member, about.records(), () -> {});
            return;
        }
        for (Map.Entry<Integer, Away> each : leaders.entrySet()) {
            Away away = each.getValue();
            if (away.question == about.question() && links.get(member) == from) {
                away.fresh.put(member, about.fresh());
                switch (away.state) {
                    case ASKING -> onTold(each.getKey(), away, member, about);
                    case PROPOSING -> onJudged(each.getKey(), away, member, about);
                    case FOLLOWING, DEMOTING, TAKEN -> {} // It is late.
                }
                return;
            }
        }
    }

    private void onTold(int leader, Away away, int member, CopyMessages.About about) {
        if (about.hears()) {
            noteUnheard(leader, new BitSet());
            follow(leader, away);
            return;
        }
        away.isConfirmed = true;
        away.awaited.remove(member);
        for (CopyRecord each : about.records()) {
            if (each.isTaken() && each.takenBy() != self) {
                away.othersSets.set(each.copySet(), rules.holds(CopyRule.TAKEN_IS_FINAL));
            }
        }
        long question = away.question;
        away.saving++;
        learn(
                member,
                about.records(),
                () -> {
                    away.saving--;
                    if (away.question == question && away.state == State.ASKING) {
                        goOnIfTold(leader, away);
                    }
                });
    }

    private void learn(int member, List<CopyRecord> told, Runnable whenKept) {
        if (rules.holds(CopyRule.RECORDS_OF_ALL)) {
            records.learn(member, told, whenKept);
        } else {
            whenKept.run();
        }
    }

    /** A member has accepted what was proposed, or has not. */
    private void onJudged(int leader, Away away, int member, CopyMessages.About about) {
        boolean isGiven = away.isGiven && isLive(leader);
        if (about.records().containsAll(away.proposed) && (!about.hears() || isGiven)) {
            away.accepted.add(member);
            away.awaited.remove(member);
            goOnIfTold(leader, away);
        } else if (isGiven && member != leader) {
            learn(member, about.records(), () -> {});
            away.lacking.add(member);
        } else {
            learn(member, about.records(), () -> {});
            follow(leader, away);
        }
    }

    private void goOnIfTold(int leader, Away away) {
        away.awaited.removeIf(member -> !isLive(member));
        boolean areAllThere = away.awaited.isEmpty() || !rules.holds(CopyRule.ASK_ALL);
        boolean isUnsaid = away.isGiven && !away.accepted.contains(leader);
        if (!areAllThere || away.saving > 0 || isUnsaid) {
            return;
        }
        if (away.state == State.ASKING) {
            boolean isSure = quorum.hasEnded(leader) || away.awayMs >= times.failoverMs();
            if (isSure || away.isConfirmed) {
                propose(leader, away);
            }
        } else if (away.proposed.stream()
                .allMatch(each -> mayTake(each, away, away.accepted::contains))) {
            demote(leader, away);
        } else if (away.awaited.isEmpty()) {
            follow(leader, away);
        }
    }

    /**
     * Whether enough members agree. A live node counts only if it has heard the leader in its
     * present start: before that the leader may have decided without it. What a leader gives it
     * decides itself, and one that is forgotten decides nothing any more.
     */
    private boolean mayTake(CopyRecord record, Away away, IntPredicate areWith) {
        int leader = record.leader();
        BitSet own = records.fresh(leader);
        boolean decidesNothing = away.isGiven || forgotten.contains(leader);
        IntPredicate doCount =
                server -> {
                    BitSet fresh = server == self ? own : away.fresh.get(server);
                    boolean isAway = server != self && !isLive(server);
                    return decidesNothing || isAway || fresh != null && fresh.get(record.copySet());
                };
        boolean isMajority =
                decidesNothing
                        ? quorum.isMajority(areWith, doCount)
                        : quorum.mayTakeOver(leader, areWith, doCount);
        return isMajority || !rules.holds(CopyRule.MAJORITY);
    }

    private void propose(int leader, Away away) {
        if (forgotten.contains(leader) && quorum.hasMember(List.of(self))) {
            noteLost(leader);
        }
        BitSet led = ledSets(leader);
        noteUnheard(leader, unheard(leader, away, led));
        List<CopyRecord> mine = new ArrayList<>();
        for (CopyRecord each : records.of(leader)) {
            int set = each.copySet();
            boolean isOthers = away.othersSets.get(set) || isTakenByOther(each);
            boolean isFree = !isOthers && !records.isGiven(set);
            // The leader was given slots again since this node has taken the set over.
            CopyRecord last = isOver(each) ? each.released() : each;
            boolean isMine = led.get(set) && isFirst(last) && isFree;
            if (isMine && mayTake(each, away, this::isLive)) {
                mine.add(last.taken(self));
            }
        }
        if (mine.isEmpty()) {
            follow(leader, away);
            return;
        }
        mine.forEach(each -> away.tookOver.clear(each.copySet()));
        long question = ++questions;
        away.question = question;
        away.saving++;
        records.put(
                mine,
                () -> {
                    away.saving--;
                    if (away.question == question && away.state == State.ASKING) {
                        begin(State.PROPOSING, leader, away, mine);
                    }
                });
    }

    private boolean isTakenByOther(CopyRecord record) {
        return record.isTaken() && record.takenBy() != self && rules.holds(CopyRule.TAKEN_IS_FINAL);
    }

    private void demote(int leader, Away away) {
        BitSet mine = new BitSet();
        away.proposed.forEach(each -> mine.set(each.copySet()));
        BitSet tooMany = (BitSet) away.copySets.clone();
        tooMany.andNot(mine);
        own.refill(tooMany);
        BitSet more = (BitSet) mine.clone();
        more.andNot(away.copySets);
        away.copySets.clear();
        away.copySets.or(mine);
        if (more.isEmpty()) {
            take(leader, away);
        } else {
            away.state = State.DEMOTING;
            own.demote(more, () -> onDemoted(leader, away));
        }
    }

    /** Whether this node has a whole copy, and no live node that comes before it has one. */
    private boolean isFirst(CopyRecord record) {
        Set<Integer> there = live();
        there.add(self);
        there.retainAll(new HashSet<>(record.whole()));
        List<Integer> order = CopyOrder.order(record.leader(), record.copySet(), there);
        return !order.isEmpty() && order.getFirst() == self;
    }

    private void onDemoted(int leader, Away away) {
        if (leaders.get(leader) != away || away.state != State.DEMOTING) {
            return;
        }
        if (isLive(leader) && !away.isGiven) {
            follow(leader, away);
        } else if (away.isStale && isLive(leader)) {
            away.state = State.FOLLOWING;
            takeGiven(leader, away);
            if (away.state == State.FOLLOWING) {
                follow(leader, away);
            }
        } else if (away.isStale) {
            askAll(leader, away);
        } else {
            take(leader, away);
        }
    }

    private void take(int leader, Away away) {
        away.state = State.TAKEN;
        List<Integer> named = new ArrayList<>(away.copySets.stream().boxed().toList());
        if (away.isGiven) {
            LOG.info(
                    "Copies: this node takes over what node {} leads in copy sets {}, which it gives",
                    leader,
                    named);
        } else {
            LOG.warn(
                    "Copies: this node takes over what node {} leads in copy sets {}: it is out of"
                            + " reach for {} ms, and the copies here are whole",
                    leader,
                    named,
                    away.awayMs);
        }
        BitSet copySets = (BitSet) away.copySets.clone();
        Runnable take =
                () -> {
                    successor.takeOver(leader, copySets);
                    if (leaders.get(leader) == away && away.state == State.TAKEN) {
                        endIfTaken(leader, away);
                    }
                };
        if (copySets.get(CopySets.GROUPS)) {
            records.decideGroups(leader, take);
        } else {
            take.run();
        }
    }

    /** Returns the state for a leader; for tests. */
    @Nullable String state(int leader) {
        Away away = leaders.get(leader);
        return away == null ? null : away.state.name();
    }
}
