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
        boolean isAside;

        Session(int slot, long sinceMs) {
            this.slot = slot;
            this.sinceMs = sinceMs;
        }
    }

    /** Survive a crash. */
    final List<Session> sessions = new ArrayList<>();

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
        mail(() -> slots.stream().forEach(slot -> led[slot] = epoch));
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
                        if (led[slot] != null) {
                            sessions.add(new Session(slot, world.nowMs()));
                            world.onSession(node, slot);
                        }
                    });
        });
    }

    /** Some sessions of slots that this node acts for end. */
    void endSome() {
        boolean all = world.chance(30);
        sessions.removeIf(
                each -> !each.isAside && led[each.slot] != null && (all || world.chance(50)));
    }
}
