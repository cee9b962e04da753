package io.godwit.cluster.broker;

import io.godwit.cluster.leadership.Epoch;
import io.godwit.cluster.leadership.SlotLeaders;
import io.godwit.cluster.leadership.SlotRow;
import io.godwit.cluster.registration.Leader;
import io.godwit.cluster.registration.Leaders;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.ClientId;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The leaders of all slots as one shard knows them, on its thread. */
final class ShardLeaders implements Leaders {
    private final Consumer<List<SlotRow>> leadership;
    private SlotLeaders known = SlotLeaders.unknown(ClientId.SLOTS);

    /**
     * @param leadership takes in rows that other nodes have sent; called on the shard's thread
     */
    ShardLeaders(Consumer<List<SlotRow>> leadership) {
        this.leadership = leadership;
    }

    /** Takes over what leadership knows now. Returns the slots of which it is something new. */
    BitSet update(SlotLeaders now) {
        BitSet changed = known.differing(now);
        known = now;
        return changed;
    }

    /**
     * Returns the slots that another server leads than the one that is known, with its id.
     *
     * @param takenOver gets the slots of these that were taken over
     */
    Map<Integer, Integer> moved(SlotLeaders now, BitSet takenOver) {
        Map<Integer, Integer> moved = new HashMap<>();
        for (int slot = 0; slot < now.size(); slot++) {
            Epoch before = known.epoch(slot);
            Epoch epoch = now.epoch(slot);
            if (before != null && epoch != null && before.server() != epoch.server()) {
                moved.put(slot, epoch.server());
                takenOver.set(slot, epoch.takeovers() > before.takeovers());
            }
        }
        return moved;
    }

    /** Returns the slots that this node acts for. */
    BitSet acting() {
        return known.led();
    }

    @Override
    public @Nullable Leader leader(int slot) {
        Epoch epoch = known.epoch(slot);
        return epoch == null ? null : new Leader(epoch.leader(), epoch.changes());
    }

    @Override
    public @Nullable Leader standIn(int slot) {
        NodeStart node = known.standIn(slot);
        Epoch epoch = known.epoch(slot);
        return node == null || epoch == null ? null : new Leader(node, epoch.changes(), true);
    }

    @Override
    public boolean isLed(int slot) {
        return known.leader(slot) != null;
    }

    @Override
    public boolean isActing(int slot) {
        return known.grants(slot);
    }

    @Override
    public byte[] row(int slot) {
        Epoch epoch = known.epoch(slot);
        BitSet one = new BitSet();
        one.set(slot);
        ByteWriter to = new ByteWriter(32);
        SlotRow.write(to, epoch == null ? List.of() : List.of(new SlotRow(epoch, one)));
        return to.toBytes();
    }

    @Override
    public void merge(byte[] row) {
        List<SlotRow> rows = SlotRow.read(new ByteReader(row), ClientId.SLOTS);
        if (!rows.isEmpty()) {
            leadership.accept(rows);
        }
    }
}
