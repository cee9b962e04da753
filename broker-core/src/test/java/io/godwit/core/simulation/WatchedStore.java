package io.godwit.core.simulation;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IdFloor;
import io.godwit.core.message.Digest;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.DigestReader;
import io.godwit.core.store.FillAsk;
import io.godwit.core.store.FillReader;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.PartListener;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.ShardStore;
import io.godwit.core.store.Store;
import io.godwit.core.store.StoreListener;
import io.godwit.core.store.StoreMetric;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Any store of one start, with everything that is asked of it and told by it written down. */
final class WatchedStore implements Store {
    private final Store store;
    private final Watch watch;
    private final Set<QueuedMessage> cancelled = Collections.newSetFromMap(new IdentityHashMap<>());

    WatchedStore(Store store, Watch watch) {
        this.store = store;
        this.watch = watch;
    }

    /** One list of operations of one shard. */
    static final class Commit {
        final long number;
        final List<Runnable> operations;
        final List<Consumer<Facts>> facts;

        /** Numbers of the wills in it. */
        final List<Integer> wills;

        boolean told;

        Commit(
                long number,
                List<Runnable> operations,
                List<Consumer<Facts>> facts,
                List<Integer> wills) {
            this.number = number;
            this.operations = operations;
            this.facts = facts;
            this.wills = wills;
        }
    }

    @Override
    public IdFloor start(int shards, StoreListener listener) {
        return store.start(shards, listener);
    }

    @Override
    public void recover(Recovery to) {
        watch.recovering();
        store.recover(
                new Recovery() {
                    @Override
                    public void group(TopicFilter filter, KeptGroupPart part) {
                        watch.recovered(
                                filter,
                                part.number(),
                                part.queue(),
                                part.inFlight(),
                                part.remembered());
                        to.group(filter, part);
                    }

                    @Override
                    public void session(KeptSession session) {
                        watch.recovered(session);
                        to.session(session);
                    }

                    @Override
                    public void retainedIngress(List<KeptIngress> remembered) {
                        watch.recovered(remembered);
                        to.retainedIngress(remembered);
                    }

                    @Override
                    public void retained(Message message, HybridId stamp) {
                        watch.recovered(message);
                        to.retained(message, stamp);
                    }

                    @Override
                    public void retainedGone(Topic topic, HybridId stamp) {
                        to.retainedGone(topic, stamp);
                    }

                    @Override
                    public void stream(int server, long start, long position) {
                        to.stream(server, start, position);
                    }
                });
        watch.recovered();
    }

    @Override
    public ShardStore open(int shard, CommitOutcome outcome) {
        Outcome watched = new Outcome(outcome);
        return new WatchedPart(store.open(shard, watched), watch, cancelled, watched.closed::add);
    }

    @Override
    public boolean keeps() {
        return store.keeps();
    }

    @Override
    public void ship(PartListener to) {
        store.ship(to);
    }

    @Override
    public void readFill(FillAsk ask, FillReader to) {
        store.readFill(ask, to);
    }

    @Override
    public void queuesOf(int copySet, Consumer<long[]> then) {
        store.queuesOf(copySet, then);
    }

    @Override
    public void adoptedOf(int copySet, Consumer<List<byte[]>> then) {
        store.adoptedOf(copySet, then);
    }

    @Override
    public void copiesOf(int leader, Consumer<long[]> then) {
        store.copiesOf(leader, then);
    }

    @Override
    public void describeCopies(long[] queueIds, Consumer<List<Digest>> then) {
        store.describeCopies(queueIds, then);
    }

    @Override
    public void notLedOf(long[] queueIds, Consumer<long[]> then) {
        store.notLedOf(queueIds, then);
    }

    @Override
    public void countQueues(Consumer<int[]> then) {
        store.countQueues(then);
    }

    @Override
    public void describeAll(DigestReader to) {
        store.describeAll(to);
    }

    @Override
    public void endWindow() {
        store.endWindow();
    }

    @Override
    public long windowBytes() {
        return store.windowBytes();
    }

    @Override
    public long value(StoreMetric metric) {
        return store.value(metric);
    }

    @Override
    public void close() {
        store.close();
    }

    private final class Outcome implements CommitOutcome {
        private final CommitOutcome outcome;
        private final ArrayDeque<Commit> closed = new ArrayDeque<>();

        Outcome(CommitOutcome outcome) {
            this.outcome = outcome;
        }

        @Override
        public void onCommitted(long number) {
            onCommitted(number, 0);
        }

        @Override
        public void onCommitted(long number, long position) {
            Commit last = null;
            while (!closed.isEmpty() && closed.element().number <= number) {
                last = closed.remove();
            }
            if (last != null) {
                watch.committed(last);
            }
            outcome.onCommitted(number, position);
        }

        @Override
        public void onFailed(long number, Throwable cause) {
            outcome.onFailed(number, cause);
        }

        @Override
        public void onRows(QueuedMessage[] entries) {
            outcome.onRows(entries);
        }

        @Override
        public void onRead(RowRead read, Throwable failure) {
            WatchedRead watched = (WatchedRead) read;
            watched.asked.isLast = watched.isLast;
            watched.asked.largeNext = watched.largeNext;
            outcome.onRead(watched.asked, failure);
        }
    }
}
