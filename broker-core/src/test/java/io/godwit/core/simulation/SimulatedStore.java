package io.godwit.core.simulation;

import io.godwit.core.id.IdFloor;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.KeptPart;
import io.godwit.core.store.KeptState;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.ShardStore;
import io.godwit.core.store.Store;
import io.godwit.core.store.StoreListener;
import io.godwit.core.store.StoreMetric;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * A model of a store and of its disk: commits are encoded, become durable, and leave the window at
 * random moments; pages are read late. A crash loses what was under way, but for the first part of
 * it.
 */
final class SimulatedStore implements Storage {
    private static final int ROWS_MICROS = 400_000;

    private final Scheduler scheduler;
    private final RandomGenerator random;
    private final KeptState state = new KeptState();

    /** Longest time that a commit takes, microseconds; 0 = done before {@code commit} returns. */
    private final int delayMicros;

    private int delayMicrosNow;
    private Opened running;
    private long starts;
    private long clock;

    SimulatedStore(SimulatedNode node) {
        scheduler = node.scheduler();
        random = node.random();
        delayMicros = node.profile().storeDelayMicros;
    }

    @Override
    public Store open() {
        running = new Opened();
        return running;
    }

    @Override
    public boolean crash() {
        Opened lost = running;
        boolean underWay = !lost.isIdle();
        lost.over = true;
        // A store that has failed writes nothing more, but for what it was just writing.
        int most = lost.closed.size();
        if (lost.failed) {
            most = (int) lost.closed.stream().filter(commit -> commit.encoded).count();
        }
        int survive = random.nextInt(most + 1);
        for (int i = 0; i < survive; i++) {
            lost.closed.remove().write();
        }
        return underWay;
    }

    @Override
    public boolean isIdle() {
        return running.isIdle();
    }

    @Override
    public void trouble() {
        delayMicrosNow = delayMicros;
    }

    @Override
    public void calm() {
        delayMicrosNow = Math.min(delayMicrosNow, 2_000);
    }

    @Override
    public void fail() {
        running.fail();
    }

    @Override
    public String rest() {
        return state.sessions() == 0 && state.groups() == 0 && state.rows() == 0
                ? ""
                : state.sessions()
                        + " sessions, "
                        + state.groups()
                        + " groups, "
                        + state.rows()
                        + " rows";
    }

    private static final class Commit {
        final Opened.Part part;
        final long number;
        final KeptPart.Operations operations;
        boolean encoded;

        Commit(Opened.Part part, long number, KeptPart.Operations operations) {
            this.part = part;
            this.number = number;
            this.operations = operations;
        }

        void encode() {
            if (!encoded) {
                encoded = true;
                operations.encode();
            }
        }

        void write() {
            encode();
            operations.apply();
        }
    }

    /** One start. */
    private final class Opened implements Store {
        /** The commits of all shards in the order in which they were closed: one journal. */
        private final ArrayDeque<Commit> closed = new ArrayDeque<>();

        private final ArrayDeque<Commit> window = new ArrayDeque<>();
        private StoreListener listener;
        private boolean underWay;
        private boolean rowsUnderWay;
        private int reads;
        private boolean failed;
        private boolean over;

        boolean isIdle() {
            return closed.isEmpty() && reads == 0;
        }

        @Override
        public IdFloor start(int shards, StoreListener to) {
            listener = to;
            state.allRows();
            // As if reserved in blocks: further than the clock can have come.
            clock = Math.max(clock, scheduler.wallMs() << 16) + (1_000L << 16);
            return state.floor(++starts, clock);
        }

        @Override
        public void recover(Recovery to) {
            state.recover(to);
        }

        @Override
        public ShardStore open(int shard, CommitOutcome outcome) {
            return new Part(outcome);
        }

        @Override
        public void endWindow() {}

        @Override
        public long windowBytes() {
            return 0;
        }

        @Override
        public long value(StoreMetric metric) {
            return metric == StoreMetric.QUEUED ? state.rows() : 0;
        }

        @Override
        public void close() {
            over = true;
            if (!failed) {
                closed.forEach(Commit::write);
            }
        }

        private void next() {
            if (!underWay && !failed && !closed.isEmpty()) {
                underWay = true;
                int batch = 1 + random.nextInt(Math.min(4, closed.size()));
                closed.stream().limit(batch).forEach(Commit::encode);
                scheduler.in(
                        random.nextInt(Math.max(1, delayMicrosNow)),
                        () -> {
                            if (!over && !failed) {
                                underWay = false;
                                settle(batch);
                                next();
                            }
                        });
            }
        }

        private void settle(int batch) {
            Map<Part, Long> done = new LinkedHashMap<>();
            for (int i = 0; i < batch; i++) {
                Commit commit = closed.remove();
                commit.write();
                window.add(commit);
                commit.part.settledUpTo = commit.number;
                done.put(commit.part, commit.number);
            }
            rowsSoon();
            done.forEach((part, number) -> part.outcome.onCommitted(number));
        }

        private void rowsSoon() {
            if (!rowsUnderWay && !window.isEmpty()) {
                rowsUnderWay = true;
                scheduler.background(random.nextInt(ROWS_MICROS), this::rows);
            }
        }

        private void rows() {
            if (over || failed) {
                return;
            }
            rowsUnderWay = false;
            int leave = 1 + random.nextInt(window.size());
            for (int i = 0; i < leave; i++) {
                Commit commit = window.remove();
                QueuedMessage[] rows = commit.operations.toRows(state);
                if (rows.length > 0) {
                    commit.part.outcome.onRows(rows);
                }
            }
            rowsSoon();
        }

        void fail() {
            if (!failed) {
                failed = true;
                scheduler.in(
                        random.nextInt(1_000),
                        () -> {
                            if (!over) {
                                listener.onFailed(new IOException("simulated failure"));
                            }
                        });
                closed.forEach(commit -> failSoon(commit.part, commit.number));
            }
        }

        private void failSoon(Part part, long number) {
            scheduler.in(random.nextInt(1_000), () -> part.fail(number));
        }

        private final class Part extends KeptPart {
            private final CommitOutcome outcome;
            private long settledUpTo;

            Part(CommitOutcome outcome) {
                super(state);
                this.outcome = outcome;
            }

            /** In the order of their numbers. */
            private void fail(long number) {
                while (!over && settledUpTo < number) {
                    settledUpTo++;
                    outcome.onFailed(settledUpTo, new IOException("simulated failure"));
                }
            }

            @Override
            protected void closed(long commit, Operations operations) {
                if (over) {
                    return;
                }
                boolean atOnce = delayMicrosNow == 0 && closed.isEmpty() && !failed;
                closed.add(new Commit(this, commit, operations));
                if (failed) {
                    failSoon(this, commit);
                } else if (atOnce) {
                    closed.element().encode();
                    settle(1);
                } else {
                    next();
                }
            }

            @Override
            public void read(RowRead read) {
                reads++;
                scheduler.in(
                        random.nextInt(Math.max(200, delayMicrosNow)),
                        () -> {
                            reads--;
                            if (!over) {
                                state.read(read);
                                outcome.onRead(read, null);
                            }
                        });
            }
        }
    }
}
