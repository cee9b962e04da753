package io.godwit.cluster.leadership;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** The shards of one node: sessions on its disk, claims under way, and what it acts for. */
final class SimulatedSlotUse implements SlotUse {
    /** A durable session. */
    static final class Session {
        final int slot;
        final long sinceMs;
        final long id;

        /** Server id of the node whose session it is a copy of; 0: it is none. */
        final int leader;

        /** How often the slot had been taken over when it was made or loaded. */
        final int takeovers;

        boolean isAside;

        Session(int slot, long sinceMs, long id, int leader, int takeovers) {
            this.slot = slot;
            this.sinceMs = sinceMs;
            this.id = id;
            this.leader = leader;
            this.takeovers = takeovers;
        }

        Session copy(int of) {
            return new Session(slot, sinceMs, id, of, takeovers);
        }
    }

    /** Survive a crash. */
    final List<Session> sessions = new ArrayList<>();

    /** Copies of sessions of other nodes, which survive a crash, too. */
    final List<Session> copies = new ArrayList<>();

    /** Slots whose copies become sessions just now. */
    final BitSet loading = new BitSet();

    private final LeadershipSimulation world;
    private final SimulatedNode node;
    private final boolean isAtOnce;
    private @Nullable Epoch[] led = new Epoch[LeadershipSimulation.SLOTS];
    private int[] claims = new int[LeadershipSimulation.SLOTS];
    private long mailMs;
    private long answerMs;

    SimulatedSlotUse(LeadershipSimulation world, SimulatedNode node, boolean isAtOnce) {
        this.world = world;
        this.node = node;
        this.isAtOnce = isAtOnce;
    }

    void crash() {
        led = new Epoch[LeadershipSimulation.SLOTS];
        claims = new int[LeadershipSimulation.SLOTS];
        mailMs = 0;
        answerMs = 0;
        loading.clear();
    }

    private void mail(Runnable task) {
        if (isAtOnce) {
            task.run();
        } else {
            mailMs = Math.max(mailMs, world.nowMs() + world.random(20));
            node.later(mailMs - world.nowMs(), task);
        }
    }

    private void answer(Runnable task) {
        if (isAtOnce) {
            task.run();
        } else {
            answerMs = Math.max(answerMs, world.nowMs() + world.random(20));
            node.later(answerMs - world.nowMs(), task);
        }
    }

    @Nullable Epoch acts(int slot) {
        return led[slot];
    }

    BitSet holdings() {
        BitSet held = new BitSet();
        sessions.stream().filter(each -> !each.isAside).forEach(each -> held.set(each.slot));
        return held;
    }

    // ---------------------------------------------------------------- what leadership asks

    @Override
    public void holdings(Consumer<BitSet> then) {
        mail(() -> {
            BitSet held = holdings();
            answer(() -> then.accept(held));
        });
    }

    @Override
    public void giveUp(BitSet wanted, Consumer<BitSet> then) {
        mail(() -> {
            BitSet given = (BitSet) wanted.clone();
            given.andNot(holdings());
            given.stream().filter(slot -> claims[slot] > 0).forEach(given::clear);
            given.stream().forEach(slot -> led[slot] = null);
            answer(() -> then.accept(given));
        });
    }

    @Override
    public void lead(BitSet slots, Epoch epoch) {
        world.checkOnDisk(node, slots, epoch);
        world.checkLoaded(node, slots, epoch);
        mail(() -> slots.stream().forEach(slot -> led[slot] = epoch));
    }

    @Override
    public void takeOver(int from, BitSet slots, Epoch epoch, Runnable whenLoaded) {
        world.checkLoads(node, slots, epoch, loading);
        loading.or(slots);
        mail(() -> adopt(from, slots, epoch, whenLoaded));
    }

    /** Makes some copies sessions, and goes on later: a crash leaves the others as they are. */
    private void adopt(int from, BitSet slots, Epoch epoch, Runnable whenLoaded) {
        List<Session> some =
                copies.stream()
                        .filter(each -> each.leader == from && slots.get(each.slot))
                        .limit(2)
                        .toList();
        if (some.isEmpty()) {
            node.later(
                    world.random(2_000),
                    () -> {
                        loading.andNot(slots);
                        answer(whenLoaded);
                    });
            return;
        }
        copies.removeAll(some);
        some.forEach(each -> {
            sessions.add(new Session(each.slot, world.nowMs(), each.id, 0, epoch.takeovers()));
            world.onSession(node, each.slot);
        });
        node.later(world.random(400), () -> adopt(from, slots, epoch, whenLoaded));
    }

    @Override
    public void closeClients(BitSet yielded) {
        world.count("closed", 1);
    }

    @Override
    public void yieldTo(BitSet slots, int leader, Epoch epoch, LongConsumer then) {
        mail(() -> {
            List<Session> some =
                    sessions.stream()
                            .filter(each -> slots.get(each.slot) && !each.isAside)
                            .toList();
            for (Session each : some) {
                world.checkAside(node, each, epoch);
                copies.removeIf(copy -> copy.id == each.id);
                copies.add(each.copy(leader));
            }
            sessions.removeAll(some);
            answer(() -> then.accept(some.size()));
        });
    }

    @Override
    public void stepDown(BitSet slots) {
        mail(() -> slots.stream().forEach(slot -> led[slot] = null));
    }

    @Override
    public void setAside(BitSet slots, Epoch epoch, LongConsumer then) {
        mail(() -> {
            long count = 0;
            for (Session each : sessions) {
                if (slots.get(each.slot) && !each.isAside) {
                    world.checkAside(node, each, epoch);
                    each.isAside = true;
                    count++;
                }
            }
            long all = count;
            answer(() -> then.accept(all));
        });
    }

    @Override
    public long sessionsAside() {
        return sessions.stream().filter(each -> each.isAside).count();
    }

    // ---------------------------------------------------------------- what clients do

    /** A client wants a durable session; it gets one if this node acts for the slot to the end. */
    void claim(int slot) {
        if (!node.leadership().leaders().grants(slot)) {
            return;
        }
        mail(() -> {
            if (led[slot] == null) {
                return;
            }
            claims[slot]++;
            node.later(
                    world.random(200),
                    () -> {
                        claims[slot]--;
                        Epoch epoch = led[slot];
                        if (epoch == null) {
                            return;
                        }
                        Session made =
                                new Session(
                                        slot, world.nowMs(), world.nextId(), 0, epoch.takeovers());
                        if (world.mayWrite(node, made, true)) {
                            sessions.add(made);
                            world.onSession(node, slot);
                        }
                    });
        });
    }

    /** Some sessions of slots that this node acts for end. */
    void endSome() {
        boolean all = world.chance(30);
        sessions.removeIf(each ->
                !each.isAside
                        && led[each.slot] != null
                        && (all || world.chance(50))
                        && world.mayWrite(node, each, false));
    }
}
