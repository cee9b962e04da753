package io.godwit.cluster.registration;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** Rows of the model's table of leaders. */
final class ModelLeadership {
    static final Comparator<Leader> BY_EPOCH =
            Comparator.comparingLong(Leader::changes)
                    .thenComparingLong(each -> each.node().start())
                    .thenComparingInt(each -> each.node().server());

    private ModelLeadership() {}

    static boolean isHigher(Leader row, @Nullable Leader than) {
        return than == null || BY_EPOCH.compare(row, than) > 0;
    }

    static byte[] write(int slot, @Nullable Leader row) {
        ByteWriter to = new ByteWriter(16).u16(slot);
        if (row != null) {
            to.varint(row.changes()).server3(row.node().server()).varint(row.node().start());
        }
        return to.toBytes();
    }

    static int slot(byte[] row) {
        return new ByteReader(row).u16();
    }

    static @Nullable Leader read(byte[] row) {
        ByteReader from = new ByteReader(row);
        from.u16();
        if (from.isAtEnd()) {
            return null;
        }
        long changes = from.varint();
        int server = from.server3();
        return new Leader(new NodeStart(server, from.varint()), changes);
    }
}
