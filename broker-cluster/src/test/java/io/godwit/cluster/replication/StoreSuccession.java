package io.godwit.cluster.replication;

import io.godwit.cluster.transport.LinkState;
import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.CopySets;
import io.godwit.core.store.Recovery;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Take-overs at one start of a node: the production decision, and in place of leadership and of the
 * broker what is enough to adopt queues in a production store.
 */
final class StoreSuccession {
    private static final int TICK_MICROS = 100_000;
    private static final int SAVE_MICROS = 10_000;
    private static final int TABLE_MICROS = 2_000_000;
    private static final long FIRST_ACT_MICROS = 700_000;

    private final StoreNode node;
    private final StoreNode.Process process;
    private final CopiesOnStore cluster;
    private final CopyRecords records;
    final Succession decision;

    /** Links by which the table of the other end has come. */
    private final Set<StoreLink> heard = new HashSet<>();

    /** Slots that are led and not acted for yet. */
    private final BitSet loading = new BitSet();

    private long beganMicros;
    private int loads;

    StoreSuccession(StoreNode node, StoreNode.Process process, CopyRecords records) {
        this.node = node;
        this.process = process;
        this.records = records;
        cluster = node.cluster;
        records.claims()
                .attach(
                        new LedSlots() {
                            @Override
                            public BitSet of(int server) {
                                return node.table.ledBy(server);
                            }

                            @Override
                            public BitSet older() {
                                return process.led.older();
                            }

                            @Override
                            public boolean isLoadingFrom(int leader) {
                                BitSet slots = node.table.ledBy(node.server);
                                slots.and(loading);
                                return slots.stream()
                                        .anyMatch(slot -> node.table.row(slot).from() == leader);
                            }

                            @Override
                            public long[] takeovers() {
                                return node.table.takeovers();
                            }
                        });
        Succession.OwnSets own =
                new Succession.OwnSets() {
                    @Override
                    public void demote(BitSet copySets, Runnable whenShown) {
                        process.leader.demote(copySets, whenShown);
                    }

                    @Override
                    public void refill(BitSet copySets) {
                        process.leader.refill(copySets);
                    }
                };
        decision =
                new Succession(
                        node.server,
                        new SuccessionTimes(6_000),
                        cluster.rules,
                        records,
                        this::knowsTables,
                        own,
                        this::takeOver);
    }

    private boolean knowsTables() {
        return process.links().stream()
                .filter(each -> each.state() == LinkState.UP)
                .allMatch(heard::contains);
    }

    /** Whether this node serves the sessions of a slot. */
    boolean actsFor(int slot) {
        return hasBegun() && node.table.row(slot).server() == node.server && !loading.get(slot);
    }

    boolean isLoading(int slot) {
        return loading.get(slot);
    }

    /** Whether it takes nothing over now, and has somebody for all slots. */
    boolean isSettled() {
        return loads == 0 && knowsTables() && !cluster.isLedByDead(node);
    }

    /** Returns what it waits for. */
    String describe() {
        Map<String, Integer> led = new TreeMap<>();
        for (int slot = 0; slot < ClientId.SLOTS; slot++) {
            StoreTable.Row row = node.table.row(slot);
            String of = "copy set %s: %s".formatted(CopySets.ofSlot(slot), row);
            led.merge(of, 1, Integer::sum);
        }
        return "loads %s, %s slots are loading, knows tables: %s, slots: %s"
                .formatted(loads, loading.cardinality(), knowsTables(), led);
    }

    // ---------------------------------------------------------------- the table

    void onLinkUp(StoreLink link) {
        process.onOwner(() -> decision.onUp(link));
        process.later(process.random().nextInt(TABLE_MICROS), () -> link.offer(node.table.tell()));
    }

    private void onLeaders() {
        process.leader.onLeaders();
        decision.onLeaders();
    }

    void onTable(StoreLink from, byte[] told) {
        node.table.merge(told);
        onLeaders();
        heard.add(from);
        process.led.yieldOlder();
    }

    // ---------------------------------------------------------------- a take-over

    /** Slots that were taken over before this start are loaded again. */
    void begin() {
        beganMicros = cluster.scheduler.micros();
        Map<Integer, BitSet> from = new TreeMap<>();
        BitSet led = node.table.ledBy(node.server);
        led.stream()
                .filter(slot -> node.table.row(slot).from() != 0)
                .forEach(slot ->
                        from.computeIfAbsent(node.table.row(slot).from(), any -> new BitSet())
                                .set(slot));
        from.forEach((server, slots) -> {
            BitSet copySets = copySets(slots);
            loading.or(slots);
            loads++;
            process.onOwner(() -> {
                process.leader.demote(copySets, () -> {});
                loadAgain(server, slots, copySets);
            });
        });
    }

    /** Others may have taken these slots over since: nothing is loaded before that is known. */
    private void loadAgain(int from, BitSet slots, BitSet copySets) {
        if (!hasBegun()) {
            process.later(
                    TICK_MICROS, () -> process.onOwner(() -> loadAgain(from, slots, copySets)));
            return;
        }
        BitSet still = node.table.ledBy(node.server);
        still.and(slots);
        loading.andNot(slots);
        loading.or(still);
        load(from, still, copySets);
    }

    private boolean hasBegun() {
        return cluster.scheduler.micros() >= beganMicros + FIRST_ACT_MICROS && knowsTables();
    }

    private static BitSet copySets(BitSet slots) {
        BitSet copySets = new BitSet();
        slots.stream().forEach(slot -> copySets.set(CopySets.ofSlot(slot)));
        return copySets;
    }

    private void takeOver(int from, BitSet copySets) {
        records.adopted(from); // Nobody has a group.
        cluster.count("take-overs");
        cluster.decided(node, from, copySets);
        BitSet slots = node.table.ledBy(from);
        slots.stream().filter(slot -> !copySets.get(CopySets.ofSlot(slot))).forEach(slots::clear);
        loading.or(slots);
        loads++;
        process.later(
                1 + process.random().nextInt(SAVE_MICROS),
                () -> {
                    BitSet still = node.table.ledBy(from);
                    still.and(slots);
                    loading.andNot(slots);
                    loading.or(still);
                    still.stream().forEach(slot -> raise(slot, from));
                    process.onOwner(this::onLeaders);
                    process.links().forEach(each -> each.offer(node.table.tell()));
                    process.onOwner(() -> load(from, still, copySets));
                });
    }

    private void raise(int slot, int from) {
        long takeovers = node.table.row(slot).takeovers() + 1;
        node.table.raise(slot, new StoreTable.Row(takeovers, node.server, from));
    }

    private void load(int from, BitSet slots, BitSet copySets) {
        process.fence(from, slots, () -> process.onOwner(() -> adopt(from, slots, copySets)));
    }

    private void adopt(int from, BitSet slots, BitSet copySets) {
        process.store()
                .copiesOf(
                        from, found -> process.onOwner(() -> adopt(found, from, slots, copySets)));
    }

    private void adopt(long[] queueIds, int from, BitSet slots, BitSet copySets) {
        DiskContents contents = node.contents();
        cluster.takenOver(node, from, slots, contents);
        Set<Long> awaited = new TreeSet<>();
        for (long queueId : queueIds) {
            ClientId clientId = Objects.requireNonNull(cluster.clientIds.get(queueId));
            if (slots.get(clientId.slot())) {
                if (contents.hasSession(queueId)) {
                    awaited.add(queueId);
                }
                adopt(queueId, awaited, slots, copySets);
            }
        }
        endIfLoaded(awaited, slots, copySets);
    }

    private void adopt(long queueId, Set<Long> awaited, BitSet slots, BitSet copySets) {
        cluster.count("queues adopted");
        int slot = Objects.requireNonNull(cluster.clientIds.get(queueId)).slot();
        long number = Epoch.number(node.table.row(slot).takeovers(), process.start().start());
        StoreShard shard = process.shard((int) (queueId % StoreNode.SHARDS));
        shard.execute(() -> {
            shard.enter();
            shard.store()
                    .adopt(
                            queueId,
                            new Epoch(number, node.server),
                            new Adopted(queueId, awaited, slots, copySets));
        });
    }

    private void endIfLoaded(Set<Long> awaited, BitSet slots, BitSet copySets) {
        if (!awaited.isEmpty()) {
            return;
        }
        loads--;
        loading.andNot(slots);
        process.led.checkSessions();
        process.leader.refill(copySets);
    }

    /** Takes a queue that was adopted. */
    private final class Adopted implements Recovery {
        private final long queueId;
        private final Set<Long> awaited;
        private final BitSet slots;
        private final BitSet copySets;

        Adopted(long queueId, Set<Long> awaited, BitSet slots, BitSet copySets) {
            this.queueId = queueId;
            this.awaited = awaited;
            this.slots = slots;
            this.copySets = copySets;
        }

        @Override
        public void session(KeptSession kept) {
            process.onOwner(() -> {
                process.led.adopted(kept);
                awaited.remove(queueId);
                endIfLoaded(awaited, slots, copySets);
            });
        }

        @Override
        public void group(TopicFilter filter, KeptGroupPart part) {
            throw new IllegalStateException("nobody has a group");
        }

        @Override
        public void retained(Message message, HybridId stamp) {
            throw new IllegalStateException("nobody retains anything");
        }
    }
}
