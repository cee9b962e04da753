package io.godwit.cluster.leadership;

import io.godwit.core.operation.ByteReader;
import org.jspecify.annotations.Nullable;

/** One node's file of assignments: writes take time, and may be lost with a crash. */
final class SimulatedFile implements AssignmentsFile {
    private final LeadershipSimulation world;
    private final SimulatedNode node;
    private final long slowestMs;
    private byte[] durable = new byte[0];
    private byte @Nullable [] underWay;

    SimulatedFile(LeadershipSimulation world, SimulatedNode node, long slowestMs) {
        this.world = world;
        this.node = node;
        this.slowestMs = slowestMs;
    }

    @Override
    public byte[] load() {
        return durable;
    }

    @Override
    public void save(byte[] table, Runnable whenKept) {
        underWay = table;
        node.later(
                1 + world.random(slowestMs),
                () -> {
                    durable = table;
                    underWay = null;
                    world.checkFoundedOnce(node);
                    node.later(world.random(5), whenKept);
                });
    }

    /** The process has ended: what was being written is on the disk, or not. */
    void crash() {
        byte[] written = underWay;
        if (written != null && world.chance(50)) {
            durable = written;
        }
        underWay = null;
    }

    void damage() {
        durable = new byte[0];
    }

    SlotTable table() {
        SlotTable table = new SlotTable(LeadershipSimulation.SLOTS);
        if (durable.length > 0) {
            table.addAll(SlotRow.read(new ByteReader(durable), LeadershipSimulation.SLOTS));
        }
        return table;
    }
}
