package io.godwit.core.store;

import io.godwit.core.id.IdFloor;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.packet.ClientId;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A store that remembers, in memory: what a commit holds is durable when the commit ends, and
 * everything durable is a row. {@link #start} again is a restart of the broker: what was not
 * committed is gone, and nobody of the earlier start is called any more.
 */
public final class KeptStore implements Store {
    /** The commits of all shards in the order in which they were closed: one journal. */
    private final ArrayDeque<Commit> closed = new ArrayDeque<>();

    private final KeptState state = new KeptState();
    private final int server;
    private boolean holds;
    private long starts;
    private long clock;
    private long operations;
    private long cancelled;
    private @Nullable StoreListener listener;

    private record Commit(Part part, long number, KeptPart.Operations operations) {}

    public KeptStore() {
        this(0);
    }

    /**
     * @param server of the message ids that are given here
     */
    public KeptStore(int server) {
        this.server = server;
    }

    // ---------------------------------------------------------------- what a test does

    /** Leaves commits outstanding from now on. */
    public void hold() {
        holds = true;
    }

    public int outstanding() {
        return closed.size();
    }

    /** Ends all that is outstanding, each shard's commits at once, and goes on without delay. */
    public void release() {
        holds = false;
        end(closed.size());
    }

    /** Ends so many of the outstanding commits, in order; the others stay so. */
    public void end(int commits) {
        Map<Part, List<Commit>> done = new LinkedHashMap<>();
        for (int i = 0; i < commits && !closed.isEmpty(); i++) {
            Commit commit = closed.remove();
            cancelled += commit.operations.encode();
            commit.operations.apply();
            done.computeIfAbsent(commit.part, part -> new ArrayList<>()).add(commit);
        }
        done.forEach((part, ended) -> {
            part.outcome.onCommitted(ended.getLast().number);
            ended.forEach(commit -> toRows(part, commit));
        });
    }

    private void toRows(Part part, Commit commit) {
        QueuedMessage[] rows = commit.operations.toRows(state);
        if (rows.length > 0) {
            part.outcome.onRows(rows);
        }
    }

    /** Fails all that is outstanding, and goes on without failures. */
    public void fail() {
        holds = false;
        List<Commit> failed = List.copyOf(closed);
        closed.clear();
        failed.forEach(
                commit -> commit.part.outcome.onFailed(commit.number, new IOException("test")));
    }

    public KeptState state() {
        return state;
    }

    /** The listener of the node that runs. */
    public StoreListener listener() {
        StoreListener running = listener;
        if (running == null) {
            throw new IllegalStateException("not started");
        }
        return running;
    }

    // ---------------------------------------------------------------- the port

    @Override
    public IdFloor start(int shards, StoreListener to) {
        closed.clear();
        holds = false;
        listener = to;
        state.allRows();
        return state.floor(++starts, clock);
    }

    @Override
    public void recover(Recovery to) {
        state.recover(to);
    }

    @Override
    public ShardStore open(int shard, CommitOutcome outcome) {
        return new Part(outcome, starts);
    }

    /** It has no copies. */
    @Override
    public void adoptableOf(int leader, int copySet, Consumer<List<Adoptable>> then) {
        then.accept(List.of());
    }

    @Override
    public void endWindow() {}

    @Override
    public long windowBytes() {
        return 0;
    }

    @Override
    public long value(StoreMetric metric) {
        return switch (metric) {
            case OPERATIONS -> operations;
            case CANCELLED -> cancelled;
            case QUEUED -> state.rows();
            default -> 0;
        };
    }

    @Override
    public void close() {}

    private final class Part extends KeptPart {
        private final CommitOutcome outcome;
        private final long start;

        Part(CommitOutcome outcome, long start) {
            super(state);
            this.outcome = outcome;
            this.start = start;
        }

        @Override
        public void putSession(ClientId clientId, SessionRecord session) {
            clock = Math.max(clock, session.stamp().clock());
            super.putSession(clientId, session);
        }

        @Override
        public void append(QueuedMessage entry) {
            clock = Math.max(clock, entry.messageId);
            entry.server = server;
            super.append(entry);
        }

        @Override
        public void read(RowRead read) {
            if (start == starts) {
                state.read(read);
                outcome.onRead(read, null);
            }
        }

        @Override
        protected void closed(long number, Operations made) {
            operations += made.count();
            if (start != starts) {
                return; // Of a broker that has crashed.
            }
            closed.add(new Commit(this, number, made));
            if (!holds) {
                end(closed.size());
            }
        }
    }
}
