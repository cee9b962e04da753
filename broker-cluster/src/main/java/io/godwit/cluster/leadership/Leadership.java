package io.godwit.cluster.leadership;

import io.godwit.cluster.membership.Nodes;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides which slots this node leads, and knows who leads the others. On the thread of the links,
 * but for {@link #leaders}; it has no thread and no clock.
 *
 * <p>A node acts for a slot when the highest epoch that it knows names its present incarnation and
 * is on its disk. What it hears counts at once, and is told to others when it is on the disk, too.
 *
 * <pre>
 * highest epoch of a slot     what happens
 * none                        all members are heard, none has one: the first of the order takes it
 * of this incarnation         on the disk: acts. Nothing uses it here, and another node has its
 *                             sessions, or is preferred and all live members are heard: gives it
 * of a former one             all live members are heard: takes it under the next epoch
 * of a forgotten member       all live members are heard, and nobody has a whole copy to take it
 *                             over with: the first live of the order takes it
 * of another member           it leads; sessions that are here are told to it, or become copies
 *                             of its own if it has taken the slot over since they were served here
 * </pre>
 *
 * <p>{@link #takeOver} makes rows of this incarnation. A slot that this node has taken over, in
 * this start or in a former one, is loaded before it acts for it.
 *
 * <p>Giving is a row that names another node. A leader that finds sessions at another node while it
 * has some itself keeps the slot and says so, and that node sets its own aside.
 */
public final class Leadership {
    /** How often the shards are asked in which slots they have durable sessions. */
    private static final long LOOK_MS = 1_000;

    /** A longer pause between two ticks counts as this: others were not heard in it either. */
    private static final long STEP_MAX_MS = 1_000;

    /** How long a leader is out of reach before another node stands in: links may be back soon. */
    private static final long STAND_IN_MS = 1_000;

    /** Rows of one record: a bitmap each at most. */
    private static final int ROWS_MAX = 16;

    private final NodeStart self;
    private final LeadershipTimes times;
    private final Set<LeadershipRule> rules;

    /** Whether {@link LeadershipRule#DISK_BEFORE_ACTING} holds; asked for each slot. */
    private final boolean actsOnDiskOnly;

    private final AssignmentsFile file;
    private final SlotUse use;
    private final LeadershipPeers peers;
    private final LeadershipListener listener;
    private final HeardMembers members;
    private final OfflineLog log;
    private final TakenSlots taken;
    private final OlderSessions older;

    /** The highest epoch that is known of each slot. */
    private final SlotTable table;

    /** By slot: who told it; 0 and above. */
    private final int[] toldBy;

    /** The table that is on the disk. */
    private SlotTable kept;

    /** Slots whose row has changed since it was last handed to the disk. */
    private BitSet unsaved = new BitSet();

    private boolean saving;

    /** By slot that this node acts for: under which epoch. */
    private final @Nullable Epoch[] acting;

    private final BitSet led = new BitSet();

    /** Where this node has durable sessions, as it knew last. */
    private BitSet own = new BitSet();

    /** The value of {@link #own} that the other nodes were told last. */
    private BitSet ownTold = new BitSet();

    /** Peers that have not been told of it since their link opened. */
    private final Set<Integer> untold = new TreeSet<>();

    /** By peer: its sessions' slots in which it was answered that the leader keeps them. */
    private final Map<Integer, BitSet> answered = new HashMap<>();

    /** Whether something has changed that leaders may follow from. */
    private boolean stale;

    /** Whether slots of forgotten members wait for a take-over, or for this node to take them. */
    private boolean isForgottenLeft;

    private boolean begun;
    private boolean stepping;
    private boolean stepAgain;
    private boolean looking;
    private boolean lookDue;

    /** Whether this node has lost slots by a take-over, and its clients are to be closed. */
    private boolean isTakenFrom;

    private long ranMs;
    private long tickedMs = Long.MIN_VALUE;
    private long lookedMs;

    /** Whether a member may be out of reach, and was not for long at the last tick. */
    private boolean anyJustAway;

    private volatile SlotLeaders leaders;

    /**
     * @param slots how many slots there are
     */
    public Leadership(
            NodeStart self,
            int slots,
            LeadershipTimes times,
            Set<LeadershipRule> rules,
            AssignmentsFile file,
            SlotUse use,
            LeadershipPeers peers,
            LeadershipListener listener) {
        this.self = self;
        this.times = times;
        this.rules = rules;
        actsOnDiskOnly = rules.contains(LeadershipRule.DISK_BEFORE_ACTING);
        this.file = file;
        this.use = use;
        this.peers = peers;
        this.listener = listener;
        members = new HeardMembers(self, slots);
        table = new SlotTable(slots);
        toldBy = new int[slots];
        acting = new Epoch[slots];
        taken = new TakenSlots(slots);
        older = new OlderSessions(self.server(), slots, rules);
        log = new OfflineLog(slots);
        byte[] loaded = file.load();
        if (loaded.length > 0) {
            table.addAll(SlotRow.read(new ByteReader(loaded), slots));
            older.onLoaded(table);
        }
        kept = table.copy();
        leaders = SlotLeaders.unknown(slots);
    }

    /** Returns who leads each slot now; any thread. */
    public SlotLeaders leaders() {
        return leaders;
    }

    /**
     * Takes slots over from a node that is gone and has copies of their sessions here. They are led
     * once that is on the disk and the sessions are loaded.
     *
     * @param from server id of the node; slots that another one leads by now are left out
     */
    public void takeOver(int from, BitSet slots) {
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            Epoch epoch = table.get(slot);
            if (epoch != null && epoch.server() == from && from != self.server()) {
                set(slot, takenOver(epoch));
            }
        }
        react();
    }

    private Epoch takenOver(Epoch epoch) {
        Epoch taken = epoch.takenOver(self);
        return rules.contains(LeadershipRule.TAKE_OVER_ABOVE_STARTS)
                ? taken
                : new Epoch(
                        epoch.changes() + 1,
                        taken.incarnation(),
                        taken.server(),
                        taken.takeovers(),
                        taken.from());
    }

    /** Returns the slots that this node has taken over, by server id of their former leader. */
    public Map<Integer, BitSet> takenOver() {
        Map<Integer, BitSet> slots = new HashMap<>();
        for (int slot = 0; slot < table.size(); slot++) {
            Epoch epoch = table.get(slot);
            if (epoch != null && epoch.server() == self.server() && epoch.from() != 0) {
                slots.computeIfAbsent(epoch.from(), any -> new BitSet()).set(slot);
            }
        }
        return slots;
    }

    /**
     * Whether sessions of slots have yet to be loaded that this node has taken over from another
     * one.
     *
     * @param from server id of that node
     */
    public boolean isLoadingFrom(int from) {
        for (int slot = 0; slot < table.size(); slot++) {
            Epoch epoch = table.get(slot);
            if (epoch != null
                    && epoch.server() == self.server()
                    && epoch.from() == from
                    && !taken.isLoaded(slot, epoch)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns under which epoch another node has taken a slot over since this one served its
     * sessions, as far as was on the disk; called at a start. Null: none has.
     */
    public @Nullable Epoch newerLeader(int slot) {
        Epoch epoch = table.get(slot);
        boolean isOther = epoch != null && epoch.server() != self.server();
        return isOther && older.isLeft(slot) ? epoch : null;
    }

    /** Whether every live member has told its table and where it has sessions. */
    public boolean knowsTables() {
        return members.isKnown() && members.isEveryLiveHeard();
    }

    /**
     * Has this node lead nothing new, and give the slots that nothing uses; or lets it lead again.
     * Until the end of this start.
     */
    public void drain(boolean isDraining) {
        members.onDraining(self.server(), isDraining);
        members.linked().forEach(server -> peers.tellDraining(server, isDraining));
        react();
    }

    /** Whether a node is to lead nothing. */
    public boolean isDraining(int server) {
        return members.isDraining(server);
    }

    /** Returns the nodes that are live and have told what they lead and have, this one too. */
    public Map<Integer, NodeStart> heard() {
        Map<Integer, NodeStart> heard = new HashMap<>(members.nodes().live());
        heard.keySet().removeIf(server -> !members.isHeard(server));
        heard.put(self.server(), self);
        return heard;
    }

    /** Returns the slots that a node leads and has durable sessions in, as it has told. */
    public BitSet served(int server) {
        BitSet served = leaders.ledBy(server);
        served.and(server == self.server() ? own : members.holdings(server));
        return served;
    }

    // ---------------------------------------------------------------- events

    /** Notes that a node is to lead nothing, or may lead again. */
    public void onDraining(NodeStart from, boolean isDraining) {
        if (members.isLinked(from)) {
            members.onDraining(from.server(), isDraining);
            react();
        }
    }

    /**
     * Lets this node take slots from now on: it has found the other members, or waited for them.
     */
    public void begin() {
        begun = true;
        react();
    }

    /** Notes who belongs to the cluster and who is live. */
    public void onNodes(Nodes nodes) {
        members.onNodes(nodes, ranMs);
        anyJustAway = true;
        react();
    }

    /** Tells a node the whole table, and then where this one has sessions: a link to it is open. */
    public void onUp(NodeStart peer) {
        members.onUp(peer);
        answered.remove(peer.server());
        if (members.isDraining(self.server())) {
            peers.tellDraining(peer.server(), true);
        }
        tellLeaders(peer.server(), kept.rows());
        untold.add(peer.server());
        react();
    }

    /** Whether there may be sessions here of before a take-over by another node. */
    public boolean hasOlder() {
        return older.isSomeLeft();
    }

    /**
     * Whether this node knows which slots of its earlier starts it still leads, its sessions of
     * those that others have taken over are copies, all that it has taken over itself is loaded,
     * and it has switched over to all other nodes that have taken slots over. A start publishes
     * nothing before it: a new leader leaves its sessions out until then, and the former one may
     * have none any more.
     */
    public boolean isSettled() {
        if (hasOlder() || table.hasEarlierStartOf(self) || !knowsTables()) {
            return false;
        }
        for (int slot = 0; slot < table.size(); slot++) {
            Epoch epoch = table.get(slot);
            if (epoch != null && !isSettled(slot, epoch)) {
                return false;
            }
        }
        return true;
    }

    private boolean isSettled(int slot, Epoch epoch) {
        return epoch.server() == self.server()
                ? taken.isLoaded(slot, epoch)
                : use.hasSwitched(slot, epoch);
    }

    /** Notes that the link to a node has ended. */
    public void onDown(NodeStart peer) {
        if (members.onDown(peer)) {
            untold.remove(peer.server());
            answered.remove(peer.server());
            react();
        }
    }

    /** Takes in which epochs slots have. */
    public void onLeaders(NodeStart from, List<SlotRow> rows) {
        rows.forEach(row -> merge(from, row));
        react();
    }

    /** Takes in where another node has durable sessions; its table has come before. */
    public void onHoldings(NodeStart from, BitSet slots) {
        if (members.isLinked(from)) {
            members.onHoldings(from.server(), slots, ranMs);
            answered.remove(from.server());
            react();
        }
    }

    /**
     * Sets this node's sessions of slots aside whose leader has sessions there itself, unless it
     * has taken the slots over since these were served here.
     */
    public void onKept(NodeStart from, BitSet slots, Epoch epoch) {
        merge(from, new SlotRow(epoch, slots));
        BitSet losing = new BitSet();
        slots.stream()
                .filter(slot -> epoch.equals(table.get(slot)) && epoch.server() != self.server())
                .forEach(losing::set);
        losing.andNot(older.left()); // They become copies.
        react();
        if (!losing.isEmpty()) {
            use.setAside(
                    losing,
                    epoch,
                    sessions -> {
                        log.onAside(sessions, epoch);
                        react();
                    });
        }
    }

    /**
     * Lets time pass; to be called about every {@link
     * io.godwit.cluster.transport.LinkSettings#TICK_MS}.
     *
     * @param nowMs monotonic
     */
    public void tick(long nowMs) {
        long before = tickedMs == Long.MIN_VALUE ? nowMs : tickedMs;
        ranMs += Math.min(nowMs - before, STEP_MAX_MS);
        tickedMs = nowMs;
        boolean isDue = ranMs - lookedMs >= LOOK_MS;
        if (isDue) {
            lookedMs = ranMs;
            lookDue = true;
            older.lookAgain();
        }
        // Somebody may have been waited for long enough.
        stale |= !members.isEveryLiveHeard() || leaders.waits() || anyJustAway || isForgottenLeft;
        anyJustAway = members.isAnyJustAway(STAND_IN_MS, ranMs);
        step();
        if (begun && isDue) {
            log.look(members.nodes(), leaders);
        }
    }

    private void merge(NodeStart from, SlotRow row) {
        BitSet slots = row.slots();
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            boolean mayEnd = acting[slot] == null || rules.contains(LeadershipRule.HIGHEST_EPOCH);
            if (mayEnd && table.raise(slot, row.epoch())) {
                unsaved.set(slot);
                toldBy[slot] = from.server();
                older.onRow(slot, row.epoch());
            }
        }
    }

    // ---------------------------------------------------------------- what follows

    /** Does what an event asks for, also where it depends on sessions. */
    private void react() {
        stale = true;
        lookDue = true;
        step();
    }

    /** Does all that the present state asks for. What it causes at once is done by it, too. */
    private void step() {
        if (stepping) {
            stepAgain = true;
            return;
        }
        stepping = true;
        do {
            stepAgain = false;
            if (stale) {
                stale = false;
                takeSlots();
                save();
                load();
                act();
                leaveOlder();
                show();
                closeClients();
            }
            look();
        } while (stepAgain);
        stepping = false;
    }

    private void takeSlots() {
        if (!begun || !members.isKnown()) {
            return;
        }
        boolean mayFound =
                !rules.contains(LeadershipRule.TABLES_BEFORE_FOUNDING)
                        || members.isEveryMemberHeard();
        boolean mayTake = members.isEveryLiveHeard(times.startWaitMs(), ranMs);
        isForgottenLeft = false;
        for (int slot = 0; slot < table.size(); slot++) {
            Epoch epoch = table.get(slot);
            if (epoch == null) {
                if (mayFound && isPreferred(slot)) {
                    set(slot, Epoch.first(self));
                }
            } else if (mayTake && epoch.server() == self.server()) {
                if (epoch.incarnation() != self.start()) {
                    Epoch next = epoch.next(self);
                    set(slot, next);
                    if (!rules.contains(LeadershipRule.LOAD_AGAIN_AT_START)) {
                        taken.end(slot, next);
                    }
                }
            } else if (mayTake && isPreferred(slot) && members.isForgotten(epoch.server())) {
                boolean isLost = use.isLost(epoch.server(), slot);
                isForgottenLeft |= !isLost;
                if (isLost) {
                    set(slot, epoch.nextAfterForgotten(self));
                }
            }
        }
    }

    private boolean isPreferred(int slot) {
        return members.preferred(slot).equals(self);
    }

    private void set(int slot, Epoch epoch) {
        if (table.raise(slot, epoch)) {
            unsaved.set(slot);
            toldBy[slot] = self.server();
            older.onRow(slot, epoch);
        }
    }

    // ---------------------------------------------------------------- the disk

    private void save() {
        if (saving || unsaved.isEmpty()) {
            return;
        }
        saving = true;
        SlotTable saved = table.copy();
        BitSet changed = unsaved;
        unsaved = new BitSet();
        ByteWriter to = new ByteWriter(1024);
        SlotRow.write(to, saved.rows());
        file.save(to.toBytes(), () -> onSaved(saved, changed));
    }

    private void onSaved(SlotTable saved, BitSet changed) {
        saving = false;
        kept = saved;
        for (int server : members.linked()) {
            BitSet news = new BitSet();
            changed.stream().filter(slot -> toldBy[slot] != server).forEach(news::set);
            if (!news.isEmpty()) {
                tellLeaders(server, saved.rows(news));
            }
        }
        react();
    }

    private void tellLeaders(int server, List<SlotRow> rows) {
        for (int from = 0; from < rows.size(); from += ROWS_MAX) {
            int to = Math.min(from + ROWS_MAX, rows.size());
            peers.tellLeaders(server, List.copyOf(rows.subList(from, to)));
        }
    }

    // ---------------------------------------------------------------- acting

    /** Has what was taken over loaded, once it is on the disk. */
    private void load() {
        Map<Epoch, BitSet> begins = new LinkedHashMap<>();
        for (int slot = 0; slot < table.size(); slot++) {
            Epoch epoch = ownOnDisk(slot);
            if (epoch != null && taken.hasToLoad(slot, epoch) && !older.isLeft(slot)) {
                begins.computeIfAbsent(epoch, any -> new BitSet()).set(slot);
            }
        }
        begins.forEach((epoch, slots) -> {
            taken.begin(slots, epoch);
            use.takeOver(epoch.from(), slots, epoch, () -> onLoaded(slots, epoch));
        });
    }

    private void onLoaded(BitSet slots, Epoch epoch) {
        taken.end(slots, epoch);
        older.lookAgain();
        react();
    }

    /** Returns the epoch of a slot when it names this incarnation and is on the disk. */
    private @Nullable Epoch ownOnDisk(int slot) {
        Epoch epoch = table.get(slot);
        if (epoch == null || !begun || !epoch.isOf(self)) {
            return null;
        }
        return !actsOnDiskOnly || epoch.equals(kept.get(slot)) ? epoch : null;
    }

    private @Nullable Epoch actsUnder(int slot) {
        Epoch epoch = ownOnDisk(slot);
        boolean isReady =
                epoch != null
                        && (taken.isLoaded(slot, epoch)
                                || !rules.contains(LeadershipRule.LOAD_BEFORE_ACTING))
                        && !older.isLeft(slot);
        return isReady ? epoch : null;
    }

    private void act() {
        BitSet ended = new BitSet();
        Map<Epoch, BitSet> begins = new LinkedHashMap<>();
        for (int slot = 0; slot < acting.length; slot++) {
            Epoch epoch = actsUnder(slot);
            if (epoch != null && !epoch.equals(acting[slot])) {
                begins.computeIfAbsent(epoch, any -> new BitSet()).set(slot);
            } else if (epoch == null && isLost(slot)) {
                ended.set(slot);
                isTakenFrom |= isTakenFromHere(slot);
                taken.lose(slot);
            }
            boolean wasLed = acting[slot] != null;
            acting[slot] = epoch;
            if (wasLed != (epoch != null)) {
                led.flip(slot);
            }
        }
        if (!ended.isEmpty()) {
            use.stepDown(ended);
        }
        begins.forEach((epoch, slots) -> {
            answered.values().forEach(each -> each.andNot(slots));
            use.lead(slots, epoch);
        });
    }

    /** Whether another node leads a slot that this one acts for or loads. */
    private boolean isLost(int slot) {
        Epoch epoch = table.get(slot);
        boolean isLoading = taken.isLoadingToLead(slot) && epoch != null && !epoch.isOf(self);
        return acting[slot] != null || isLoading;
    }

    /** Whether another node has taken a slot over that this one acts for or loads. */
    private boolean isTakenFromHere(int slot) {
        Epoch epoch = table.get(slot);
        Epoch before = acting[slot] == null ? taken.loading(slot) : acting[slot];
        return epoch != null && before != null && epoch.takeovers() > before.takeovers();
    }

    private void closeClients() {
        if (isTakenFrom) {
            isTakenFrom = false;
            use.closeClients(older.underWay());
        }
    }

    private void show() {
        byte[] states = states();
        SlotLeaders now =
                new SlotLeaders(
                        table.toArray(), states, granting(), standIns(states), older.left());
        if (!now.isSame(leaders)) {
            leaders = now;
            listener.onLeaders(now);
        }
    }

    private byte[] states() {
        byte[] states = new byte[table.size()];
        for (int slot = 0; slot < states.length; slot++) {
            Epoch epoch = table.get(slot);
            SlotLeaders.State state;
            if (epoch == null) {
                state = SlotLeaders.State.UNKNOWN;
            } else if (acting[slot] != null) {
                state = SlotLeaders.State.LED;
            } else if (begun && epoch.isOf(self) && epoch.from() != 0) {
                state = SlotLeaders.State.LOADING;
            } else if (epoch.server() != self.server() && members.isLive(epoch)) {
                state = SlotLeaders.State.ELSEWHERE;
            } else {
                state = SlotLeaders.State.OFFLINE;
            }
            states[slot] = (byte) state.ordinal();
        }
        return states;
    }

    /** Returns who stands in for leaders that have been out of reach for a while, by slot. */
    private @Nullable NodeStart[] standIns(byte[] states) {
        @Nullable NodeStart[] standIns = new NodeStart[states.length];
        for (int slot = 0; slot < states.length && begun; slot++) {
            Epoch epoch = table.get(slot);
            if (epoch != null
                    && states[slot] == SlotLeaders.State.OFFLINE.ordinal()
                    && members.isAwayFor(epoch.server(), STAND_IN_MS, ranMs)) {
                standIns[slot] = members.preferred(slot);
            }
        }
        return standIns;
    }

    /** Returns the slots led here of whose sessions every live member has told. */
    private BitSet granting() {
        BitSet granting = new BitSet();
        if (members.isEveryLiveHeard(times.peerTimeoutMs(), ranMs)) {
            granting.or(led);
            BitSet unclear = members.heldElsewhere(times.peerTimeoutMs(), ranMs);
            unclear.andNot(own);
            unclear.andNot(takenOver(unclear));
            granting.andNot(unclear); // They are given to who has the sessions, if nobody comes.
        }
        return granting;
    }

    // ---------------------------------------------------------------- sessions

    /** Has the shards tell where sessions are, and tells, answers and gives what follows. */
    private void look() {
        if (looking) {
            return; // It is due again when this one is over.
        }
        if (lookDue) {
            lookDue = false;
            looking = true;
            BitSet askedOf = older.left();
            use.holdings(found -> onOwn(found, askedOf));
        }
    }

    /**
     * @param askedOf slots that might have older sessions when the shards were asked
     */
    private void onOwn(BitSet found, BitSet askedOf) {
        noneOlder(found, askedOf);
        leaveOlder();
        BitSet now = (BitSet) found.clone();
        now.andNot(older.left());
        stale |= !own.equals(now);
        own = now;
        tellHoldings();
        answerHolders();
        BitSet wanted = toGive();
        if (wanted.isEmpty()) {
            looking = false;
            if (lookDue || stale) {
                step();
            }
        } else {
            use.giveUp(wanted, this::give);
        }
    }

    /** Notes in which slots there are no older sessions any more. */
    private void noneOlder(BitSet found, BitSet askedOf) {
        BitSet none = (BitSet) askedOf.clone();
        none.andNot(found);
        none.andNot(taken.loading()); // Sessions of before may still come.
        stale |= older.none(none);
    }

    /**
     * Makes older sessions copies of who leads them now, once this node has switched over to that
     * one. If that is so already, it is done before the leaders are shown, by which their clients'
     * connections end.
     */
    private void leaveOlder() {
        BitSet switched = older.left();
        switched.andNot(unswitched());
        for (SlotRow row : table.rows(older.begin(switched))) {
            Epoch epoch = row.epoch();
            // This node may have taken the slots over in turn: it loads what became copies.
            int leader = epoch.server() == self.server() ? epoch.from() : epoch.server();
            if (leader == 0) {
                // The node that had taken them over was forgotten.
                use.setAside(row.slots(), epoch, sessions -> onOlderLeft(row, leader, sessions));
            } else {
                use.yieldTo(
                        row.slots(), leader, epoch, sessions -> onOlderLeft(row, leader, sessions));
            }
        }
    }

    /**
     * Returns the slots with older sessions of which this node has not heard that all have switched
     * over to their new leader, or whose sessions here are not its copies yet; a copy. What is
     * written to these sessions may be missing at the new leader.
     */
    public BitSet unsettled() {
        if (!hasOlder()) {
            return new BitSet(0);
        }
        BitSet slots = unswitched();
        slots.or(older.served());
        return slots;
    }

    /**
     * Returns the slots with older sessions of which this node has not heard that all have switched
     * over to their new leader; a copy.
     */
    private BitSet unswitched() {
        BitSet slots = older.left();
        older.left().stream().filter(this::hasSwitched).forEach(slots::clear);
        return slots;
    }

    private boolean hasSwitched(int slot) {
        Epoch epoch = table.get(slot);
        return epoch == null || use.hasSwitched(slot, epoch);
    }

    private void onOlderLeft(SlotRow row, int leader, long sessions) {
        older.end(row.slots());
        log.onOlderLeft(sessions, leader);
        react(); // What is still there is a claim under way: it is tried again after a while.
    }

    private void tellHoldings() {
        BitSet changed = (BitSet) own.clone();
        changed.xor(ownTold);
        // The table that was told before has to be all that this node knows.
        boolean mayTellNew = !untold.isEmpty() && !saving && unsaved.isEmpty();
        if (mayTellNew) {
            untold.forEach(server -> peers.tellHoldings(server, own));
        } else {
            changed.andNot(led);
        }
        if (!changed.isEmpty()) {
            tellChangedHoldings();
        }
        if (mayTellNew) {
            untold.clear();
        }
    }

    /** Tells all who were told before. */
    private void tellChangedHoldings() {
        ownTold = own;
        for (int server : members.linked()) {
            if (!untold.contains(server)) {
                peers.tellHoldings(server, own);
            }
        }
    }

    /**
     * Tells holders of slots that are led here, and have sessions here or were taken over, that
     * they stay here.
     */
    private void answerHolders() {
        for (int server : members.linked()) {
            BitSet both = (BitSet) members.holdings(server).clone();
            both.and(led);
            BitSet stays = takenOver(both);
            stays.or(own);
            both.and(stays);
            BitSet before = answered.computeIfAbsent(server, any -> new BitSet());
            both.andNot(before);
            before.or(both);
            for (SlotRow row : table.rows(both)) {
                peers.tellKept(server, row.slots(), row.epoch());
            }
        }
    }

    private BitSet toGive() {
        BitSet wanted = new BitSet();
        boolean mayPrefer = mayPrefer();
        for (int slot = led.nextSetBit(0); slot >= 0; slot = led.nextSetBit(slot + 1)) {
            wanted.set(slot, !own.get(slot) && receiver(slot, mayPrefer) != null);
        }
        return wanted;
    }

    /** Whether slots may go to who is preferred: nobody is live whose sessions are not known. */
    private boolean mayPrefer() {
        return members.isEveryLiveHeard() || !rules.contains(LeadershipRule.HOLDINGS_BEFORE_GIVING);
    }

    /** Returns who is to lead a slot that is led here and has no sessions here; null: this node. */
    private @Nullable NodeStart receiver(int slot, boolean mayPrefer) {
        NodeStart holder = members.holder(slot);
        if (holder != null && wasTakenOver(slot)) {
            return null; // It sets its sessions aside.
        }
        if (holder != null || !mayPrefer) {
            return holder;
        }
        NodeStart preferred = members.preferred(slot);
        boolean mayGive = !preferred.equals(self) && members.isHeard(preferred.server());
        return mayGive ? preferred : null;
    }

    /** Returns those of some slots that were taken over: sessions elsewhere may be older. */
    private BitSet takenOver(BitSet slots) {
        BitSet taken = new BitSet();
        slots.stream().filter(this::wasTakenOver).forEach(taken::set);
        return taken;
    }

    private boolean wasTakenOver(int slot) {
        Epoch epoch = table.get(slot);
        return epoch != null
                && epoch.takeovers() > 0
                && rules.contains(LeadershipRule.NO_HOLDER_AFTER_TAKE_OVER);
    }

    /** Gives what the shards have given up. */
    private void give(BitSet givenUp) {
        looking = false;
        boolean mayPrefer = mayPrefer();
        for (int slot = givenUp.nextSetBit(0); slot >= 0; slot = givenUp.nextSetBit(slot + 1)) {
            Epoch epoch = acting[slot];
            if (epoch == null || !epoch.equals(table.get(slot))) {
                continue; // A higher epoch has come meanwhile.
            }
            NodeStart receiver = receiver(slot, mayPrefer);
            // When nobody is to have it any more, it begins anew here: what was registered is told
            // again.
            set(slot, epoch.next(receiver == null ? self : receiver));
        }
        if (ownTold.intersects(givenUp)) {
            BitSet left = (BitSet) own.clone();
            left.andNot(givenUp);
            own = left;
            tellChangedHoldings(); // Before the rows: who gets the slots would give them back.
        }
        if (givenUp.isEmpty()) {
            step(); // It is tried again after a while.
        } else {
            react();
        }
    }
}
