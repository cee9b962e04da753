package io.godwit.core.store;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.store.Recovery.KeptInFlight;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The rows of one queue, by message id, and the markers in it. */
public final class KeptRows {
    /** A message of a queue, or a marker of one. */
    public static final class Row {
        public final HybridId id;
        public final int qos;
        public final boolean retain;
        public final int[] ids;

        /** Null once PUBREC came, and for an entry of a group: that stands in the group's queue. */
        public @Nullable Message message;

        /** 0 while it is idle. */
        public int packetId;

        /** The member that has a group's entry in flight; else null. */
        public @Nullable Receiver receiver;

        /** In a session's queue: it has got an entry of a group. */
        public boolean isMarker;

        public boolean released;

        /** In the journal alone: not to be read yet. */
        boolean journaled;

        Row(
                HybridId id,
                int qos,
                boolean retain,
                int[] ids,
                @Nullable Message message,
                int packetId) {
            this.id = id;
            this.qos = qos;
            this.retain = retain;
            this.ids = ids;
            this.message = message;
            this.packetId = packetId;
        }

        public int bytes() {
            return 64 + (message == null ? 0 : message.accountedBytes());
        }
    }

    final TreeMap<HybridId, Row> rows = new TreeMap<>();
    final TreeMap<HybridId, KeptIngress> remembered = new TreeMap<>();
    HybridId last = HybridId.NONE;

    /** The entries that a member of a group has in flight. */
    List<KeptInFlight> inFlightTo() {
        List<KeptInFlight> all = new ArrayList<>();
        for (Row row : rows.values()) {
            Receiver receiver = row.receiver;
            if (receiver != null) {
                all.add(new KeptInFlight(row.id, row.packetId, receiver));
            }
        }
        return all;
    }

    QueueDepth depth(long queueId) {
        long idle = 0;
        long idleBytes = 0;
        int inFlight = 0;
        HybridId first = null;
        for (Row row : rows.values()) {
            if (row.packetId != 0) {
                inFlight++;
                continue;
            }
            first = first == null ? row.id.before() : first;
            idle++;
            idleBytes += row.bytes();
        }
        return new QueueDepth(
                queueId, idle, idleBytes, inFlight, first == null ? last : first, last);
    }

    /** Shows the page's rows. */
    void read(RowRead read) {
        int messages = 0;
        long bytes = 0;
        for (Row row : rows.subMap(read.after, false, read.upTo, true).values()) {
            if (row.journaled || (row.packetId == 0) != (read.section == RowRead.Section.IDLE)) {
                continue;
            }
            if (messages == read.messagesMax || bytes >= read.bytesMax) {
                return;
            }
            if (!read.wantsMessages() && (row.isMarker || row.message == null)) {
                continue;
            }
            Message message = read.wantsMessages() ? row.message : null;
            if (message != null && row.packetId != 0 && read.endsBefore(row.bytes())) {
                return;
            }
            messages++;
            bytes += message == null ? 0 : row.bytes();
            read.server = row.id.server();
            read.rowBytes = row.bytes();
            if (row.isMarker) {
                read.marker(row.id.clock(), row.packetId);
                continue;
            }
            read.row(
                    row.id.clock(),
                    row.qos,
                    row.retain,
                    row.ids,
                    message == null ? null : FromDisk.message(message),
                    row.packetId,
                    null);
        }
        read.isLast = true;
    }
}
