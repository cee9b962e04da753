package io.godwit.core.node;

import io.godwit.core.id.IdFloor;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.CopySets;
import io.godwit.core.store.ForgetfulShardStore;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.ShardStore;
import io.godwit.core.store.Store;
import io.godwit.core.store.StoreListener;
import io.godwit.core.store.StoreMetric;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A store whose commits end when the test says so: one by one, several at once, or by a failure.
 */
final class HeldStore implements Store {
    private record Commit(Part part, long number) {}

    private final List<Commit> outstanding = new ArrayList<>();
    private boolean holds;

    /** Whether queues belong to copy sets. */
    boolean hasCopies;

    /** Commits that were closed. */
    int closed;

    /** More waits to be written than the store wants to hold. */
    boolean isBehind;

    /** Leaves commits outstanding from now on. */
    void hold() {
        holds = true;
    }

    int outstanding() {
        return outstanding.size();
    }

    /** Ends all that is outstanding, each shard's commits at once, and goes on without delay. */
    void release() {
        holds = false;
        Map<Part, Long> last = new LinkedHashMap<>();
        outstanding.forEach(commit -> last.put(commit.part, commit.number));
        outstanding.clear();
        last.forEach((part, number) -> part.outcome.onCommitted(number));
    }

    /** Ends what is outstanding of one shard; what comes stays outstanding. */
    void releaseOf(int shard) {
        List<Commit> ended = outstanding.stream().filter(c -> c.part.shard == shard).toList();
        outstanding.removeAll(ended);
        if (!ended.isEmpty()) {
            Commit last = ended.getLast();
            last.part.outcome.onCommitted(last.number);
        }
    }

    /** Fails all that is outstanding, and goes on without failures. */
    void fail() {
        holds = false;
        List<Commit> failed = List.copyOf(outstanding);
        outstanding.clear();
        failed.forEach(
                commit -> commit.part.outcome.onFailed(commit.number, new IOException("test")));
    }

    @Override
    public IdFloor start(int shards, StoreListener listener) {
        return IdFloor.NONE;
    }

    @Override
    public void recover(Recovery to) {}

    @Override
    public void endWindow() {}

    @Override
    public boolean isBehind() {
        return isBehind;
    }

    @Override
    public long windowBytes() {
        return 0;
    }

    @Override
    public long value(StoreMetric metric) {
        return 0;
    }

    @Override
    public ShardStore open(int shard, CommitOutcome outcome) {
        return new Part(shard, outcome);
    }

    @Override
    public void close() {}

    private final class Part extends ForgetfulShardStore {
        private final int shard;
        private final CommitOutcome outcome;

        Part(int shard, CommitOutcome outcome) {
            this.shard = shard;
            this.outcome = outcome;
        }

        @Override
        public int copySet(ClientId clientId) {
            return hasCopies ? CopySets.of(clientId) : CopySets.NONE;
        }

        @Override
        protected void closed(long number) {
            closed++;
            if (holds) {
                outstanding.add(new Commit(this, number));
            } else {
                outcome.onCommitted(number);
            }
        }
    }
}
