package io.godwit.cluster.publish;

import io.godwit.cluster.stream.Arrival;
import io.godwit.cluster.stream.InStream;
import io.godwit.cluster.stream.StreamRecord;
import io.godwit.core.id.IngressId;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.shard.Sliced;
import io.godwit.core.time.Timer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Publishes of QoS 2 of other nodes, as they come to one shard: once routed, however often they are
 * sent. One that is sent again may have come to another shard before, of this start or of an
 * earlier one: then that shard is asked first.
 */
final class Remembering {
    private static final long SWEEP_MS = 1_000;

    private final BrokerShard shard;
    private final IngressMemory memory;

    /** Of all shards of the node, by their index. */
    private final List<Remembering> all;

    private final Timer sweeper =
            new Timer() {
                @Override
                protected void onTimer(long nowMs) {
                    if (memory.sweep()) {
                        sweepLater();
                    }
                }
            };

    /**
     * @param all filled before the shards run
     */
    Remembering(BrokerShard shard, List<Remembering> all) {
        this.shard = shard;
        this.memory = new IngressMemory(shard);
        this.all = all;
    }

    IngressMemory memory() {
        return memory;
    }

    void sweepLater() {
        if (!sweeper.isArmed()) {
            shard.timers().arm(sweeper, shard.nowMs() + SWEEP_MS);
        }
    }

    /**
     * A publish has come.
     *
     * @param again it may have come before
     * @param route begins to route it
     * @return see {@link InStream.Handler#handle}
     */
    @Nullable Sliced arrived(
            IngressId publish, boolean again, Arrival arrival, Supplier<Sliced> route) {
        IngressMemory.Entry here = memory.find(publish);
        if (here != null) {
            return found(here, publish, arrival, route);
        }
        if (again && all.size() > 1) {
            new Question(publish, arrival, route).ask();
            return InStream.LATER;
        }
        return begin(publish, again, arrival, route);
    }

    private Sliced begin(
            IngressId publish, boolean again, Arrival arrival, Supplier<Sliced> route) {
        if (again) {
            arrival.hasIt = new long[0]; // Nobody for sure; what is at most once came then, if ever.
        }
        if (memory.begin(publish)) {
            sweepLater();
            // It is taken, and told so, when it is kept that it came.
            awaitCommit(arrival);
            arrival.whenTaken(() -> memory.done(publish));
        }
        return route.get();
    }

    private @Nullable Sliced found(
            IngressMemory.Entry entry, IngressId publish, Arrival arrival, Supplier<Sliced> route) {
        long[] hasIt = entry.takeUp();
        if (hasIt == null) {
            arrival.await();
            entry.whenDone(() -> arrival.targetDone(true));
            return null;
        }
        arrival.hasIt = hasIt;
        arrival.whenTaken(() -> memory.done(publish));
        return route.get();
    }

    /** Whether another shard remembers a publish. */
    private final class Question {
        private final IngressId publish;
        private final Arrival arrival;
        private final Supplier<Sliced> route;
        private int missing = all.size() - 1;
        private boolean answered;

        Question(IngressId publish, Arrival arrival, Supplier<Sliced> route) {
            this.publish = publish;
            this.arrival = arrival;
            this.route = route;
        }

        void ask() {
            onOthers(other -> other.asked(this));
        }

        private void answer(Remembering by, boolean found, long @Nullable [] hasIt) {
            missing--;
            if (answered) {
                return;
            }
            if (!found) {
                if (missing == 0) {
                    answered = true;
                    arrival.resume(begin(publish, true, arrival, route));
                }
                return;
            }
            answered = true;
            if (hasIt == null) {
                arrival.await();
                by.execute(there -> there.whenDone(this));
                arrival.resume(null);
            } else {
                arrival.hasIt = hasIt;
                arrival.whenTaken(() -> by.execute(there -> there.memory.done(publish)));
                arrival.resume(route.get());
            }
        }

        private void done() {
            arrival.targetDone(true);
        }

        private Remembering asker() {
            return Remembering.this;
        }
    }

    private void asked(Question question) {
        IngressMemory.Entry entry = memory.find(question.publish);
        boolean found = entry != null;
        long[] hasIt = entry == null ? null : entry.takeUp();
        question.asker().execute(asker -> question.answer(this, found, hasIt));
    }

    private void whenDone(Question question) {
        Runnable told = () -> question.asker().execute(asker -> question.done());
        IngressMemory.Entry entry = memory.find(question.publish);
        if (entry == null) {
            told.run(); // It was over meanwhile, and so it was done.
        } else {
            entry.whenDone(told);
        }
    }

    private void awaitCommit(Arrival arrival) {
        arrival.await();
        shard.afterCommit(arrival::targetDone);
    }

    /** Publishes that will not come again; said once, so it is kept before it is answered. */
    void over(StreamRecord.Over record, Arrival arrival) {
        List<IngressId> elsewhere = new ArrayList<>(0);
        for (IngressId publish : record.publishes()) {
            if (!memory.over(publish)) {
                elsewhere.add(publish);
            }
        }
        awaitCommit(arrival);
        if (!elsewhere.isEmpty()) {
            onOthersKept(other -> elsewhere.forEach(other.memory::over), arrival);
        }
    }

    /** The node has started anew, and knows what it may send again. */
    void stillOpen(StreamRecord.StillOpen record, Arrival arrival) {
        Set<Long> counters = new HashSet<>();
        Arrays.stream(record.counters()).forEach(counters::add);
        memory.stillOpen(record.server(), record.start(), counters);
        awaitCommit(arrival);
        onOthersKept(
                other -> other.memory.stillOpen(record.server(), record.start(), counters),
                arrival);
    }

    private void onOthersKept(Consumer<Remembering> task, Arrival arrival) {
        for (int i = 1; i < all.size(); i++) {
            arrival.await();
        }
        onOthers(other -> {
            task.accept(other);
            other.shard.afterCommit(durable -> execute(here -> arrival.targetDone(durable)));
        });
    }

    private void onOthers(Consumer<Remembering> task) {
        for (Remembering other : all) {
            if (other != this) {
                other.execute(task);
            }
        }
    }

    private void execute(Consumer<Remembering> task) {
        shard.execute(() -> task.accept(this));
    }
}
