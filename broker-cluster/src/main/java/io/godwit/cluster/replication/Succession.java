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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when this node takes over the sessions of a leader that is gone. For each leader:
 *
 * <pre>
 * FOLLOWING  away for a second, and another node is live; or away for
 *            cluster.failover-timeout                    ASKING: every live member is asked
 * ASKING     a live member hears the leader              FOLLOWING, for a second
 *            all live ones have answered, and this node
 *            is to take copy sets over                   DEMOTING: of these sets nobody is whole
 *            nothing is to be taken over                 FOLLOWING, for a second
 * DEMOTING   on all disks                                TAKEN: the slots are taken over
 *            on all disks, after a pause of this node,
 *            or a member has come meanwhile              ASKING
 * TAKEN      the leader leads nothing of them any more   FOLLOWING
 * all        the leader is heard                         FOLLOWING
 * </pre>
 *
 * <p>The highest record that any live member knows decides: a node takes a copy set over when that
 * record calls it whole, and no live node before it in the order of the set. Away is who has no
 * link that is up; times are this node's own running time. On the shard that owns the topic index.
 */
final class Succession {
    private static final Logger LOG = LoggerFactory.getLogger(Succession.class);

    /** A pause between two ticks that is longer counts as this. */
    private static final long STEP_MAX_MS = 200;

    private enum State {
        FOLLOWING,
        ASKING,
        DEMOTING,
        TAKEN
    }

    /** What is known of a leader that is away. */
    private static final class Away {
        State state = State.FOLLOWING;
        long awayMs;

        /** When members may be asked again. */
        long askFromMs;

        long question;

        /** Members that have not answered yet. */
        final Set<Integer> awaited = new TreeSet<>();

        /** Whether some other node has said that it does not hear the leader. */
        boolean isConfirmed;

        /** Records that were told are on their way to the disk. */
        int saving;

        /** Copy sets that are demoted, or taken over. */
        final BitSet copySets = new BitSet();

        /** Something has happened since the answers: they are asked for again. */
        boolean isStale;
    }

    private final int self;
    private final SuccessionTimes times;
    private final CopyRules rules;
    private final CopyRecords records;
    private final BooleanSupplier knowsTables;
    private final OwnSets own;
    private final Successor successor;
    private final Map<Integer, PeerLink> links = new TreeMap<>();
    private final Map<Integer, Away> leaders = new TreeMap<>();
    private Set<Integer> forgotten = Set.of();
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
    }

    // ---------------------------------------------------------------- links and time

    void onUp(PeerLink link) {
        int server = link.peer().server();
        links.put(server, link);
        leaders.forEach((leader, away) -> {
            // It may hear the leader, or know higher records.
            if (away.state == State.ASKING && leader != server) {
                ask(leader, away, server);
            }
            away.isStale = true;
        });
    }

    void onDown(PeerLink link) {
        links.remove(link.peer().server(), link);
    }

    /** Drops what is known of nodes that do not belong to the cluster any more. */
    void forgotten(Set<Integer> servers) {
        forgotten = servers;
        for (int each : servers) {
            Away away = leaders.remove(each);
            if (away != null) {
                follow(away);
            }
        }
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
        for (int leader : records.leaders()) {
            if (leader != self && !forgotten.contains(leader)) {
                look(leader, leaders.computeIfAbsent(leader, any -> new Away()), ran);
            }
        }
    }

    /** This node did not run: others may have heard the leader since they answered. */
    private void onPause(Away away) {
        away.isStale = true;
        if (away.state == State.ASKING) {
            away.state = State.FOLLOWING;
        }
    }

    private boolean isLive(int server) {
        PeerLink link = links.get(server);
        return link != null && link.state() == LinkState.UP;
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
        switch (away.state) {
            case FOLLOWING -> {
                if (isHeard && !away.copySets.isEmpty()) {
                    follow(away);
                } else if (!isHeard && isDue(away) && !ledSets(leader).isEmpty()) {
                    askAll(leader, away);
                }
            }
            case ASKING -> {
                if (isHeard) {
                    follow(away);
                } else {
                    decideIfTold(leader, away);
                }
            }
            case DEMOTING -> {} // It goes on when the records are shown.
            case TAKEN -> {
                BitSet left = ledSets(leader);
                left.and(away.copySets);
                if (isHeard || left.isEmpty()) {
                    follow(away);
                }
            }
        }
    }

    private boolean isDue(Away away) {
        boolean areOthersLive = links.keySet().stream().anyMatch(this::isLive);
        long neededMs = areOthersLive ? SuccessionTimes.AWAY_MS : times.failoverMs();
        return away.awayMs >= neededMs && ranMs >= away.askFromMs && knowsTables.getAsBoolean();
    }

    /** Returns the copy sets of sessions in which a node leads slots. */
    private BitSet ledSets(int leader) {
        BitSet copySets = new BitSet();
        records.claims().of(leader).stream().forEach(slot -> copySets.set(CopySets.ofSlot(slot)));
        return copySets;
    }

    private void follow(Away away) {
        if (away.state != State.TAKEN && !away.copySets.isEmpty()) {
            own.refill((BitSet) away.copySets.clone()); // They were demoted for nothing.
        }
        away.state = State.FOLLOWING;
        away.askFromMs = ranMs + SuccessionTimes.AWAY_MS;
        away.awaited.clear();
        away.copySets.clear();
    }

    // ---------------------------------------------------------------- questions

    private void askAll(int leader, Away away) {
        away.state = State.ASKING;
        away.question = ++questions;
        away.isConfirmed = false;
        away.isStale = false;
        away.awaited.clear();
        if (rules.holds(CopyRule.ASK_ALL)) {
            live().forEach(member -> ask(leader, away, member));
        } else {
            away.isConfirmed = true;
        }
        decideIfTold(leader, away);
    }

    private void ask(int leader, Away away, int member) {
        PeerLink link = links.get(member);
        if (link != null) {
            away.awaited.add(member);
            link.offer(new CopyMessages.AskAbout(away.question, leader));
        }
    }

    /** A member asks what this node knows of a leader. */
    void onAsk(PeerLink from, long question, int leader) {
        boolean hears = leader == self || isLive(leader);
        from.offer(new CopyMessages.About(question, hears, records.of(leader)));
    }

    /** A member has answered. */
    void onAbout(PeerLink from, CopyMessages.About about) {
        int member = from.peer().server();
        for (Map.Entry<Integer, Away> each : leaders.entrySet()) {
            Away away = each.getValue();
            if (away.state == State.ASKING
                    && away.question == about.question()
                    && links.get(member) == from) {
                onAbout(each.getKey(), away, member, about);
                return;
            }
        }
    }

    private void onAbout(int leader, Away away, int member, CopyMessages.About about) {
        if (about.hears() && rules.holds(CopyRule.ASK_ALL)) {
            follow(away);
            return;
        }
        away.isConfirmed = true;
        away.awaited.remove(member);
        if (!rules.holds(CopyRule.RECORDS_OF_ALL)) {
            decideIfTold(leader, away);
            return;
        }
        long question = away.question;
        away.saving++;
        records.learn(
                leader,
                about.records(),
                () -> {
                    away.saving--;
                    if (away.state == State.ASKING && away.question == question) {
                        decideIfTold(leader, away);
                    }
                });
    }

    private void decideIfTold(int leader, Away away) {
        away.awaited.removeIf(member -> !isLive(member));
        boolean isConfirmed = away.isConfirmed || away.awayMs >= times.failoverMs();
        if (away.awaited.isEmpty() && away.saving == 0 && isConfirmed) {
            decide(leader, away);
        }
    }

    private void decide(int leader, Away away) {
        BitSet mine = new BitSet();
        BitSet led = ledSets(leader);
        for (CopyRecord each : records.of(leader)) {
            if (led.get(each.copySet()) && isFirst(each)) {
                mine.set(each.copySet());
            }
        }
        if (mine.isEmpty()) {
            follow(away);
            return;
        }
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
        if (isLive(leader)) {
            follow(away);
        } else if (away.isStale) {
            askAll(leader, away);
        } else {
            take(leader, away);
        }
    }

    private void take(int leader, Away away) {
        away.state = State.TAKEN;
        List<Integer> named = new ArrayList<>(away.copySets.stream().boxed().toList());
        LOG.warn(
                "Copies: this node takes over the sessions of node {} in copy sets {}: it is out of"
                        + " reach for {} ms, and the copies here are whole",
                leader,
                named,
                away.awayMs);
        successor.takeOver(leader, (BitSet) away.copySets.clone());
    }

    /** Returns the state for a leader; for tests. */
    @Nullable String state(int leader) {
        Away away = leaders.get(leader);
        return away == null ? null : away.state.name();
    }
}
