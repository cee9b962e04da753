package io.godwit.cluster.stream;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.ack.Receipt;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.publish.Feeder;
import io.godwit.core.publish.SlotGate;
import io.godwit.core.shard.Sliced;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A record that has come and is not answered yet. Whatever has to have what it brings is awaited;
 * with the last of it the record is answered.
 */
public abstract class Arrival extends Receipt implements Feeder {
    /** Whom it is for, of QoS 2: together with what came of it later. */
    public Parts parts = Parts.NONE;

    /** Leaves out sessions, as its source was when it came; null in peace. */
    public @Nullable SlotGate gate;

    /** Groups that do not have it any more: for these it may come anew. */
    private List<TopicFilter> givenBack = List.of();

    private List<Runnable> whenTaken = List.of();
    private List<Runnable> whenRouted = List.of();
    private boolean isRouted;

    Arrival(int qos) {
        super(null, 0, qos);
    }

    /**
     * The node that it came from: another one than where the publish came in, if it was passed on.
     */
    public abstract NodeStart from();

    @Override
    public boolean isOfOtherNode() {
        return true;
    }

    @Override
    public void giveBack(TopicFilter group, int taker) {
        parts = parts.without(new Parts(false, new TopicFilter[] {group}));
        givenBack = new ArrayList<>(givenBack);
        givenBack.add(group);
    }

    /** Whether a group does not have it any more. */
    public final boolean isGivenBackBy(TopicFilter group) {
        return givenBack.contains(group);
    }

    /** Has a task run just before it is answered; at once when it was. */
    public final void whenTaken(Runnable task) {
        if (isDone()) {
            task.run();
            return;
        }
        if (whenTaken.isEmpty()) {
            whenTaken = new ArrayList<>(1);
        }
        whenTaken.add(task);
    }

    /** Whether every target here was told, or has mail of it that leaves with this turn. */
    public final boolean isRouted() {
        return isRouted;
    }

    /** Has a task run when that is so; at once when it is. */
    public final void whenRouted(Runnable task) {
        if (isRouted) {
            task.run();
            return;
        }
        if (whenRouted.isEmpty()) {
            whenRouted = new ArrayList<>(1);
        }
        whenRouted.add(task);
    }

    /** Every target was told. */
    final void allTold() {
        isRouted = true;
        whenRouted.forEach(Runnable::run);
        whenRouted = List.of();
    }

    /**
     * Goes on with a record of which the handler has said that it needs to know more first.
     *
     * @param work see {@link InStream.Handler#handle}
     */
    public abstract void resume(@Nullable Sliced work);

    @Override
    protected final void onTaken() {
        whenTaken.forEach(Runnable::run);
        whenTaken = List.of();
    }
}
