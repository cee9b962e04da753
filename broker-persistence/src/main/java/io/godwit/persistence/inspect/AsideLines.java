package io.godwit.persistence.inspect;

import io.godwit.core.id.QueueId;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.packet.TopicFilter;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.queue.AsideRows;
import io.godwit.persistence.queue.MetaRecords;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Tells of each queue of which something is set aside. */
public final class AsideLines {
    /**
     * A queue of which something is set aside.
     *
     * @param leader server id of the node that gave the queue id
     * @param owner client id, or filter of a shared group; several when the id was given twice,
     *     empty when no record of it is known
     */
    public record Line(long queueId, int leader, String owner, AsideRows.Counts counts) {}

    private AsideLines() {}

    /** Reads all of them. */
    public static void read(DiskView disk, Consumer<Line> to) throws DiskFailure {
        for (Map.Entry<Long, AsideRows.Counts> each : AsideRows.counts(disk).entrySet()) {
            long queueId = each.getKey();
            to.accept(
                    new Line(
                            queueId,
                            QueueId.server(queueId),
                            owner(disk, queueId),
                            each.getValue()));
        }
    }

    private static String owner(DiskView disk, long queueId) throws DiskFailure {
        List<String> owners = new ArrayList<>();
        byte[] prefix = Keys.meta('A', queueId);
        try (Cursor cursor = disk.scan(Family.META, prefix, Keys.after(prefix))) {
            while (cursor.next()) {
                byte[] key = cursor.key();
                if (AsideRows.isCounts(key)) {
                    continue;
                }
                switch (Keys.ofAside(key)[0]) {
                    case 'S' -> owners.add(MetaRecords.clientId(cursor.value()).toString());
                    case 'G' -> {
                        ByteReader in = new ByteReader(cursor.value());
                        in.u8(); // part
                        owners.add(new TopicFilter(in.rest()).toString());
                    }
                    default -> {}
                }
            }
        }
        return String.join(", ", owners);
    }
}
