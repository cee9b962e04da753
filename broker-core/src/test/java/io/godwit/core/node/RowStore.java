package io.godwit.core.node;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IdFloor;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.ExpiredRow;
import io.godwit.core.store.ForgetfulShardStore;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.ShardStore;
import io.godwit.core.store.Store;
import io.godwit.core.store.StoreListener;
import io.godwit.core.store.StoreMetric;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A store whose commits are durable at once, and that ends its window and answers reads when the
 * test says so. A removal is seen in the rows only with the end of the window, as on disk.
 *
 * <p>Its length is that of the store's port: every operation is a method, most of a few lines.
 */
final class RowStore implements Store {
    /** A message's row, its marker, or both. */
    static final class Row {
        final QueuedMessage entry;
        final @Nullable Message message;
        boolean idle = true;
        int packetId;
        boolean released;
        @Nullable Receiver receiver;

        Row(QueuedMessage entry) {
            this.entry = entry;
            this.message = entry.message;
        }
    }

    /** Server id of what this store is told to append. */
    private static final int OWN = 0;

    private record Read(Part part, RowRead read) {}

    private final Map<Long, TreeMap<HybridId, Row>> queues = new LinkedHashMap<>();
    private final Map<Part, List<QueuedMessage>> window = new LinkedHashMap<>();

    /** Those in the window that say already that they are rows. */
    private final Set<QueuedMessage> begun = Collections.newSetFromMap(new IdentityHashMap<>());

    private final List<Runnable> removals = new ArrayList<>();
    private final ArrayDeque<Read> reads = new ArrayDeque<>();

    @SuppressWarnings("NullAway.Init") // set by start(...)
    private StoreListener listener;

    private boolean readsWait;
    private int readCount;

    /** Messages that pages have brought into memory. */
    int messagesRead;

    /** Bytes that may be written during a disk alarm. */
    long alarmReserveBytes = Long.MAX_VALUE;

    int windowsEnded;
    long windowBytes;
    final List<String> operations = new ArrayList<>();

    /** Queues of sessions, by id. */
    final List<Long> forgotten = new ArrayList<>();

    /** By queue id: who shares its other copies; a queue that is not named waits for all. */
    final Map<Long, Integer> copySets = new LinkedHashMap<>();

    private @Nullable List<Runnable> unconfirmed;

    // ---------------------------------------------------------------- what the test says

    /** Leaves commits outstanding until {@link #confirm}. */
    void holdCommits() {
        unconfirmed = new ArrayList<>();
    }

    void confirm() {
        List<Runnable> held = unconfirmed;
        unconfirmed = null;
        if (held != null) {
            held.forEach(Runnable::run);
        }
    }

    /** What is still there becomes rows, and what was removed goes. */
    void rows() {
        removals.forEach(Runnable::run);
        removals.clear();
        window.forEach((part, entries) -> {
            List<QueuedMessage> told = new ArrayList<>();
            for (QueuedMessage entry : entries) {
                Message message = entry.message;
                if (message != null
                        && (begun.remove(entry)
                                || entry.stored(QueuedMessage.JOURNALED, QueuedMessage.ROW))) {
                    Row row = new Row(entry);
                    row.idle = entry.packetId == 0;
                    row.packetId = entry.packetId;
                    queue(entry.queueId).put(entry.id(), row);
                    told.add(entry);
                }
            }
            entries.clear();
            part.outcome.onRows(told.toArray(QueuedMessage[]::new));
        });
    }

    /** What is in the window says that it is a row, before {@link #rows} lets anyone read it. */
    void beginRows() {
        for (List<QueuedMessage> entries : window.values()) {
            for (QueuedMessage entry : entries) {
                if (entry.stored(QueuedMessage.JOURNALED, QueuedMessage.ROW)) {
                    begun.add(entry);
                }
            }
        }
    }

    /** Holds pages back until {@link #answer}. */
    void holdReads() {
        readsWait = true;
    }

    int readsWaiting() {
        return reads.size();
    }

    int readCount() {
        return readCount;
    }

    /** The oldest read is answered; more stay held. */
    void answer() {
        Read next = reads.remove();
        show(next.read);
        next.part.outcome.onRead(next.read, null);
    }

    void fail() {
        Read next = reads.remove();
        next.part.outcome.onRead(next.read, new IOException("test"));
    }

    void answerAll() {
        readsWait = false;
        while (!reads.isEmpty()) {
            answer();
        }
    }

    /**
     * @param clocks of ids of this node's own
     */
    void expire(long queueId, long... clocks) {
        expire(queueId, Arrays.stream(clocks).mapToObj(clock -> new HybridId(clock, OWN)).toList());
    }

    void expire(long queueId, List<HybridId> ids) {
        List<ExpiredRow> expired = new ArrayList<>();
        for (HybridId id : ids) {
            Row row = queue(queueId).get(id);
            int bytes = row == null ? 64 : row.entry.bytes;
            expired.add(new ExpiredRow(id.clock(), id.server(), bytes));
        }
        listener.onExpired(queueId, expired);
    }

    void diskAlarm(boolean full) {
        listener.onDiskAlarm(full);
    }

    /** Puts a row as an earlier start has left it. */
    Row put(QueuedMessage entry, int packetId, boolean idle) {
        Row row = new Row(entry);
        row.idle = idle;
        row.packetId = packetId;
        queue(entry.queueId).put(entry.id(), row);
        return row;
    }

    TreeMap<HybridId, Row> queue(long queueId) {
        return queues.computeIfAbsent(queueId, id -> new TreeMap<>());
    }

    QueueDepth depth(long queueId) {
        long idle = 0;
        long bytes = 0;
        int inFlight = 0;
        for (Row row : queue(queueId).values()) {
            if (row.packetId != 0) {
                inFlight++;
            } else {
                idle++;
                bytes += row.entry.bytes;
            }
        }
        return new QueueDepth(
                queueId,
                idle,
                bytes,
                inFlight,
                queue(queueId).firstKey().before(),
                queue(queueId).lastKey());
    }

    private void show(RowRead read) {
        int messages = 0;
        long bytes = 0;
        for (Row row : queue(read.queueId).tailMap(read.after, false).values()) {
            if (row.entry.id().compareTo(read.upTo) > 0) {
                break;
            }
            boolean inFlight = read.section == RowRead.Section.IN_FLIGHT;
            if (inFlight ? row.packetId == 0 : !row.idle || row.receiver != null) {
                continue;
            }
            if (messages == read.messagesMax || bytes >= read.bytesMax) {
                return;
            }
            if (row.released && !read.wantsMessages()) {
                continue;
            }
            if (inFlight && !row.released && read.endsBefore(row.entry.bytes)) {
                return;
            }
            messages++;
            bytes += read.wantsMessages() ? row.entry.bytes : 0;
            read.server = row.entry.server;
            read.rowBytes = row.entry.bytes;
            messagesRead += read.wantsMessages() ? 1 : 0;
            read.row(
                    row.entry.messageId,
                    row.entry.qos,
                    row.entry.retain,
                    row.entry.ids,
                    row.released || !read.wantsMessages() ? null : row.message,
                    inFlight ? row.packetId : 0,
                    "note " + row.entry.messageId);
        }
        read.isLast = true;
    }

    // ---------------------------------------------------------------- the port

    @Override
    public IdFloor start(int shards, StoreListener to) {
        listener = to;
        return IdFloor.NONE;
    }

    @Override
    public void recover(Recovery to) {}

    @Override
    public void endWindow() {
        windowsEnded++;
        rows();
    }

    @Override
    public long alarmReserveBytes() {
        return alarmReserveBytes;
    }

    @Override
    public long windowBytes() {
        return windowBytes;
    }

    @Override
    public long value(StoreMetric metric) {
        return 0;
    }

    @Override
    public ShardStore open(int shard, CommitOutcome outcome) {
        return new Part(outcome);
    }

    @Override
    public void close() {}

    private final class Part extends ForgetfulShardStore {
        private final CommitOutcome outcome;
        private final List<QueuedMessage> appended = new ArrayList<>();

        /** By replica set: the last commit with a packet id of a queue of it. */
        private final Map<Integer, Long> lastCommits = new LinkedHashMap<>();

        Part(CommitOutcome outcome) {
            this.outcome = outcome;
        }

        private void say(String operation) {
            told();
            operations.add(operation);
        }

        @Override
        public void append(QueuedMessage entry) {
            if (!entry.stored(QueuedMessage.FREE, QueuedMessage.OPEN)) {
                throw new AssertionError("appended twice");
            }
            appended.add(entry);
            told();
        }

        @Override
        public void inFlight(QueuedMessage entry) {
            told();
            if (entry.stored() == QueuedMessage.FREE || entry.packetId == 0) {
                throw new AssertionError("in flight and not appended");
            }
            lastCommits.put(copySets.getOrDefault(entry.queueId, 0), openCommit());
            Row row = queue(entry.queueId).get(entry.id());
            if (row != null) {
                row.packetId = entry.packetId;
            }
        }

        @Override
        public @Nullable QueueHandle handle(long queueId) {
            Integer set = copySets.get(queueId);
            if (set == null) {
                return null;
            }
            QueueHandle handle = new QueueHandle(queueId);
            handle.copySet = set;
            return handle;
        }

        @Override
        public long lastCommit(int copySet) {
            return copySets.isEmpty()
                    ? (isDirty() ? openCommit() : openCommit() - 1)
                    : lastCommits.getOrDefault(copySet, 0L);
        }

        @Override
        public void released(QueuedMessage entry) {
            told();
            Row row = queue(entry.queueId).get(entry.id());
            if (row != null) {
                row.released = true;
            }
        }

        @Override
        public void remove(QueuedMessage entry) {
            int before = entry.takeBack();
            if (before == QueuedMessage.GONE
                    || before == QueuedMessage.CANCELLED
                    || before == QueuedMessage.FREE) {
                throw new AssertionError("removed in state " + before);
            }
            told();
            removals.add(() -> queue(entry.queueId).remove(entry.id()));
        }

        @Override
        public void removeRow(long queueId, long messageId, int server) {
            say("removeRow " + (server == 0 ? "" : server + ":") + messageId);
            removals.add(() -> queue(queueId).remove(new HybridId(messageId, server)));
        }

        @Override
        public void putPredecessor(long queueId, long predecessorId) {
            say("putPredecessor " + queueId + " " + predecessorId);
        }

        @Override
        public void removeSession(ClientId clientId, long queueId, HybridId stamp) {
            say("removeSession " + clientId);
            forgotten.add(queueId);
            queues.remove(queueId);
        }

        @Override
        public void read(RowRead read) {
            readCount++;
            if (readsWait) {
                reads.add(new Read(this, read));
            } else {
                show(read);
                outcome.onRead(read, null);
            }
        }

        @Override
        protected void closed(long commit) {
            for (QueuedMessage entry : appended) {
                if (entry.stored(QueuedMessage.OPEN, QueuedMessage.JOURNALED)) {
                    window.computeIfAbsent(this, part -> new ArrayList<>()).add(entry);
                }
            }
            appended.clear();
            List<Runnable> held = unconfirmed;
            if (held == null) {
                outcome.onCommitted(commit);
            } else {
                held.add(() -> outcome.onCommitted(commit));
            }
        }

        @Override
        public void putInbound(Inbound inbound) {
            say("putInbound " + inbound.packetId);
        }

        @Override
        public void removeInbound(Inbound inbound) {
            say("removeInbound " + inbound.packetId);
        }

        @Override
        public void inFlightTo(QueuedMessage entry, Receiver to) {
            inFlight(entry);
        }

        @Override
        public void idleAgain(QueuedMessage entry) {
            told();
            Row row = queue(entry.queueId).get(entry.id());
            if (row != null) {
                row.packetId = 0;
                row.idle = true;
            }
        }
    }
}
