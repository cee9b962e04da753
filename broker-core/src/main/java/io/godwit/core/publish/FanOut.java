package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.routing.Route;
import io.godwit.core.routing.RouteTarget;
import io.godwit.core.shard.Shard;
import io.godwit.core.shard.Sliced;
import org.jspecify.annotations.Nullable;

/** A fan-out that may have more targets than one slice takes. */
final class FanOut implements Sliced {
    /** Targets between two looks at what the slice has caused. */
    private static final int STEP = 100;

    private final Shard shard;
    private final LocalDelivery local;
    private final int sliceMax;
    private final Route route;
    private final int targets;
    private final Message message;
    private final @Nullable Receipt receipt;
    private final @Nullable Feeder feeder;
    private final @Nullable SlotGate gate;
    private final Runnable whenTold;
    private int next;
    private int cost;

    /** What finding the route has cost. */
    private int found;

    /**
     * @param sliceMax targets told in one slice
     * @param from the first of the targets that it tells
     * @param feeder hears of those that hold more than their part
     * @param gate leaves out sessions; null in peace
     * @param whenTold done once all are told
     */
    FanOut(
            Shard shard,
            LocalDelivery local,
            int sliceMax,
            Route route,
            int from,
            Message message,
            @Nullable Receipt receipt,
            @Nullable Feeder feeder,
            @Nullable SlotGate gate,
            Runnable whenTold) {
        this.shard = shard;
        this.local = local;
        this.sliceMax = sliceMax;
        this.route = route;
        this.targets = LocalDelivery.targets(route);
        this.next = from;
        this.message = message;
        this.receipt = receipt;
        this.feeder = feeder;
        this.gate = gate;
        this.whenTold = whenTold;
    }

    void found(int work) {
        found = work;
    }

    int targetsLeft() {
        return targets - next;
    }

    @Override
    public int cost() {
        return cost;
    }

    @Override
    public boolean slice() {
        int begin = next;
        tellSome();
        cost = 1 + found + next - begin;
        found = 0;
        if (next < targets) {
            return false;
        }
        whenTold.run();
        return true;
    }

    private void tellSome() {
        int sliceEnd = Math.min(targets, next + sliceMax);
        while (next < sliceEnd) {
            int end = Math.min(sliceEnd, next + STEP);
            local.tell(route, next, end, message, receipt, gate);
            next = end;
            if (shard.hasMuchToFlush()) {
                break;
            }
        }
        RouteTarget full = local.takeFull();
        boolean crowd = local.takeCrowd();
        if (feeder != null) {
            if (full != null) {
                feeder.feeds(full);
            }
            if (crowd) {
                feeder.feedsCrowd();
            }
        }
    }
}
