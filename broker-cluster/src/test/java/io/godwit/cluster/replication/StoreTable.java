package io.godwit.cluster.replication;

import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.CopySets;
import java.util.BitSet;

/**
 * Holds which node leads which slot, as one node knows it. Of two rows for a slot the one with more
 * take-overs counts. It is on the node's disk whenever it has changed.
 */
final class StoreTable {
    static final MessageType TYPE = new MessageType(900, TrafficClass.CONTROL, "table");

    /**
     * @param from server id of the leader that it was taken over from; 0: of none
     */
    record Row(long takeovers, int server, int from) {
        boolean isAbove(Row other) {
            return takeovers > other.takeovers
                    || takeovers == other.takeovers && server > other.server;
        }
    }

    /** Tells another node what this one knows. */
    record Told(byte[] rows) implements Outgoing {
        @Override
        public MessageType type() {
            return TYPE;
        }

        @Override
        public int bytes() {
            return rows.length;
        }

        @Override
        public void write(ByteWriter to, int protocol) {
            to.raw(rows);
        }
    }

    private final Row[] rows = new Row[ClientId.SLOTS];

    /** Counts the take-overs of each copy set. */
    long[] takeovers() {
        long[] bySet = new long[CopySets.LAST + 1];
        for (int slot = 0; slot < rows.length; slot++) {
            bySet[CopySets.ofSlot(slot)] += rows[slot].takeovers;
        }
        return bySet;
    }

    /**
     * @param leaders nodes 1 to here lead slots at first
     */
    StoreTable(int leaders) {
        for (int slot = 0; slot < rows.length; slot++) {
            rows[slot] = new Row(0, 1 + slot / 8 % leaders, 0);
        }
    }

    Row row(int slot) {
        return rows[slot];
    }

    /** Returns the slots that a node leads. */
    BitSet ledBy(int server) {
        BitSet led = new BitSet(rows.length);
        for (int slot = 0; slot < rows.length; slot++) {
            led.set(slot, rows[slot].server == server);
        }
        return led;
    }

    /** Raises a row if the new one counts. */
    void raise(int slot, Row row) {
        if (row.isAbove(rows[slot])) {
            rows[slot] = row;
        }
    }

    Told tell() {
        ByteWriter to = new ByteWriter(256);
        for (int slot = 0; slot < rows.length; slot++) {
            Row row = rows[slot];
            if (row.takeovers > 0) {
                to.varint(slot).varint(row.takeovers).server3(row.server).server3(row.from);
            }
        }
        return new Told(to.toBytes());
    }

    void merge(byte[] told) {
        ByteReader in = new ByteReader(told);
        while (!in.isAtEnd()) {
            raise((int) in.varint(), new Row(in.varint(), in.server3(), in.server3()));
        }
    }
}
