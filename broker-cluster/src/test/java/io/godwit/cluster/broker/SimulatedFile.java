package io.godwit.cluster.broker;

import io.godwit.cluster.leadership.AssignmentsFile;
import io.godwit.cluster.replication.CopyRecordsFile;
import io.godwit.core.routing.TopicIndex;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Holds a small file of a node: a save takes a while, and may be lost with the process. */
final class SimulatedFile implements AssignmentsFile, CopyRecordsFile {
    private static final int SAVE_MICROS = 10_000;

    private record Save(byte[] contents, Runnable whenKept) {}

    private byte[] durable = new byte[0];
    private @Nullable Save underWay;
    private FailoverNode.@Nullable Process process;

    /** A process begins to use it. */
    void open(FailoverNode.Process by) {
        process = by;
    }

    @Override
    public byte[] load() {
        return durable;
    }

    @Override
    public void save(byte[] changed, Runnable whenKept) {
        FailoverNode.Process by = process;
        if (by == null || underWay != null) {
            throw new IllegalStateException("one after the other, while it is open");
        }
        underWay = new Save(changed, whenKept);
        by.later(1 + by.random().nextInt(SAVE_MICROS), () -> finish(by));
    }

    private void finish(FailoverNode.Process by) {
        Save save = Objects.requireNonNull(underWay);
        underWay = null;
        durable = save.contents;
        by.shard(TopicIndex.OWNER).execute(save.whenKept);
    }

    /** The process has ended: what was being saved is there, or not. */
    void crash(RandomGenerator random) {
        Save save = underWay;
        underWay = null;
        process = null;
        if (save != null && random.nextBoolean()) {
            durable = save.contents;
        }
    }
}
