package io.godwit.cluster.leadership;

import io.godwit.cluster.membership.Member;
import io.godwit.cluster.membership.Nodes;
import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.transport.Forgotten;
import io.godwit.cluster.transport.NodeStart;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A node of the simulation: its disk, and the process that runs on it now, if any. */
final class SimulatedNode implements LeadershipPeers {
    private static final long TICK_MS = 250;
    private static final Map<List<Integer>, Slots> ORDERS = new HashMap<>();

    final int server;
    final SimulatedFile file;
    final SimulatedSlotUse use;

    /** Links that this side knows as open, by server. */
    final Map<Integer, SimulatedPair.Link> links = new TreeMap<>();

    private final LeadershipSimulation world;
    private final int begins;

    /** On the disk. */
    private final Map<Integer, Member> members = new TreeMap<>();

    private long incarnation;
    private boolean isUp;
    private boolean isFirst;
    private boolean hasBegun;
    private long startedMs;
    private long sleepsUntilMs;

    /** By node: the slots with its sessions, as it told last. */
    private final Map<Integer, BitSet> toldHoldings = new HashMap<>();

    /** Whether it never starts again. */
    boolean isDead;

    private @Nullable Leadership leadership;

    SimulatedNode(
            LeadershipSimulation world, int server, int begins, long slowestMs, boolean isAtOnce) {
        this.world = world;
        this.server = server;
        this.begins = begins;
        file = new SimulatedFile(world, this, slowestMs);
        use = new SimulatedSlotUse(world, this, isAtOnce);
    }

    boolean isUp() {
        return isUp;
    }

    boolean hasBegun() {
        return hasBegun;
    }

    NodeStart start() {
        return new NodeStart(server, incarnation);
    }

    Leadership leadership() {
        return Objects.requireNonNull(leadership);
    }

    /** Runs a task later, unless the process ends before. */
    void later(long delayMs, Runnable task) {
        long present = incarnation;
        world.later(
                delayMs,
                () -> {
                    if (isUp && incarnation == present) {
                        awake(task);
                    }
                });
    }

    /** Runs a task now, or when the process has woken up. */
    void awake(Runnable task) {
        if (isAsleep()) {
            later(sleepsUntilMs - world.nowMs(), task);
        } else {
            task.run();
        }
    }

    boolean isAsleep() {
        return world.nowMs() < sleepsUntilMs;
    }

    /** Whether it has woken up for so long, or did not sleep. */
    boolean isAwakeFor(long ms) {
        return world.nowMs() - sleepsUntilMs >= ms;
    }

    /** The process stands still for a while. */
    void sleep(long forMs) {
        world.tell("node " + server + " sleeps for " + forMs);
        sleepsUntilMs = world.nowMs() + forMs;
    }

    boolean hears(int other) {
        SimulatedPair.Link link = links.get(other);
        return isUp && link != null && !link.isSilent();
    }

    /** Whether every link has been open for so long. */
    boolean areLinksOpenFor(long ms) {
        return links.values().stream().allMatch(each -> world.nowMs() - each.openedMs >= ms);
    }

    boolean isToldHolder(int other, int slot) {
        return toldHoldings.getOrDefault(other, new BitSet()).get(slot);
    }

    // ---------------------------------------------------------------- the process

    void begin() {
        incarnation++;
        isUp = true;
        hasBegun = false;
        startedMs = world.nowMs();
        isFirst = members.values().stream().noneMatch(Member::hasServed);
        world.tell("node " + server + " starts as " + start());
        add(new Member(start(), 0, "n" + server, "", 0, false));
        revive(server);
        leadership =
                new Leadership(
                        start(),
                        LeadershipSimulation.SLOTS,
                        LeadershipSimulation.TIMES,
                        world.rules(),
                        file,
                        use,
                        this,
                        leaders -> world.onLeaders(this, leaders));
        leadership.onNodes(nodes());
        tick();
        lookAround();
    }

    private void tick() {
        leadership().tick(world.nowMs());
        later(TICK_MS, this::tick);
    }

    /** Begins when the others are there, as a broker does. */
    private void lookAround() {
        Nodes nodes = nodes();
        boolean waits = isFirst && !nodes.isServed() && nodes.live().size() < begins;
        boolean isComplete =
                nodes.live().size() == nodes.members().size()
                        || world.nowMs() - startedMs >= LeadershipSimulation.TIMES.peerTimeoutMs();
        if (!waits && isComplete) {
            hasBegun = true;
            world.tell("node " + server + " begins with " + nodes.live().keySet());
            Member self = Objects.requireNonNull(members.get(server));
            members.put(server, with(self, self.forgotten(), true));
            leadership().begin();
            tellMembers();
        } else {
            later(100, this::lookAround);
        }
    }

    void crash() {
        world.tell("node " + server + " ends");
        isUp = false;
        hasBegun = false;
        sleepsUntilMs = 0;
        leadership = null;
        links.clear();
        toldHoldings.clear();
        file.crash();
        use.crash();
    }

    // ---------------------------------------------------------------- membership

    private static Member with(Member of, long forgotten, boolean hasServed) {
        return new Member(
                of.last(), of.process(), of.name(), of.clientAddress(), forgotten, hasServed);
    }

    private boolean add(Member other) {
        Member known = members.get(other.server());
        Member later = known == null || other.last().start() > known.last().start() ? other : known;
        Member merged =
                with(
                        later,
                        Math.max(other.forgotten(), known == null ? 0 : known.forgotten()),
                        other.hasServed() || known != null && known.hasServed());
        members.put(other.server(), merged);
        return !merged.equals(known);
    }

    private boolean revive(int other) {
        Member known = members.get(other);
        if (known == null || known.forgotten() % 2 == 0) {
            return false;
        }
        members.put(other, with(known, known.forgotten() + 1, known.hasServed()));
        return true;
    }

    /** Forgets a node that there is no link to. */
    void forget(int other) {
        Member known = members.get(other);
        if (known != null && known.forgotten() % 2 == 0 && !links.containsKey(other)) {
            world.tell("node " + server + " forgets node " + other);
            members.put(other, with(known, known.forgotten() + 1, known.hasServed()));
            onMembers(List.of(), true);
        }
    }

    private void onMembers(Collection<Member> heard, boolean isNews) {
        boolean news = isNews;
        for (Member each : heard) {
            news |= add(each);
        }
        if (news) {
            revive(server);
            links.keySet().forEach(this::revive);
            tellMembers();
        }
        leadership().onNodes(nodes());
    }

    private void tellMembers() {
        List<Member> all = List.copyOf(members.values());
        links.keySet().forEach(other -> send(other, to -> to.onMembers(all, false)));
    }

    Nodes nodes() {
        Map<Integer, NodeStart> live = new TreeMap<>();
        live.put(server, start());
        links.forEach((other, link) -> {
            if (!link.isSilent()) {
                live.put(other, link.peerOf(server));
            }
        });
        List<Member> present =
                members.values().stream().filter(each -> each.forgotten() % 2 == 0).toList();
        Set<Integer> forgotten = new TreeSet<>(members.keySet());
        present.forEach(each -> forgotten.remove(each.server()));
        List<Integer> servers = present.stream().map(Member::server).toList();
        Slots slots = ORDERS.computeIfAbsent(servers, Slots::new);
        return new Nodes(start(), present, new Forgotten(forgotten, 0), live, slots);
    }

    // ---------------------------------------------------------------- links

    void onUp(SimulatedPair.Link link) {
        NodeStart peer = link.peerOf(server);
        links.put(peer.server(), link);
        boolean isNews = add(new Member(peer, 0, "n" + peer.server(), "", 0, false));
        isNews |= revive(peer.server());
        if (isNews) {
            onMembers(List.of(), true);
        } else {
            List<Member> all = List.copyOf(members.values());
            send(peer.server(), to -> to.onMembers(all, false));
            leadership().onNodes(nodes());
        }
        toldHoldings.remove(peer.server());
        leadership().onUp(peer);
    }

    void onDown(SimulatedPair.Link link) {
        NodeStart peer = link.peerOf(server);
        if (links.remove(peer.server(), link)) {
            leadership().onNodes(nodes());
            leadership().onDown(peer);
        }
    }

    /** A link has fallen silent, or is heard again. */
    void onSilence() {
        awake(() -> leadership().onNodes(nodes()));
    }

    private void send(int other, Consumer<SimulatedNode> what) {
        SimulatedPair.Link link = links.get(other);
        if (link != null) {
            link.send(this, what); // Else it ends just now: everything is told by the next one.
        }
    }

    @Override
    public void tellLeaders(int other, List<SlotRow> rows) {
        world.checkTold(this, rows);
        NodeStart from = start();
        send(other, to -> to.leadership().onLeaders(from, rows));
    }

    @Override
    public void tellHoldings(int other, BitSet slots) {
        NodeStart from = start();
        world.tell("node " + from + " tells " + other + " that it holds " + slots);
        send(
                other,
                to -> {
                    to.toldHoldings.put(from.server(), slots);
                    to.leadership().onHoldings(from, slots);
                });
    }

    @Override
    public void tellKept(int other, BitSet slots, Epoch epoch) {
        NodeStart from = start();
        send(other, to -> to.leadership().onKept(from, slots, epoch));
    }

    @Override
    public void tellDraining(int other, boolean isDraining) {
        NodeStart from = start();
        send(other, to -> to.leadership().onDraining(from, isDraining));
    }
}
