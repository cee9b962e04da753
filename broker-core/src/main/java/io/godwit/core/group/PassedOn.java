package io.godwit.core.group;

import io.godwit.core.ack.Receipt;
import io.godwit.core.queue.PartEntry;
import java.util.function.Consumer;

/** Waits until another node has an entry, which stays in its part until then. */
final class PassedOn extends Receipt {
    private final PartEntry entry;
    private final Consumer<PartEntry> whenThere;
    private final Consumer<PartEntry> whenNot;

    /**
     * @param qos 2 where it is recognised when it comes again
     * @param whenNot told when that node will never have it
     */
    PassedOn(PartEntry entry, int qos, Consumer<PartEntry> whenThere, Consumer<PartEntry> whenNot) {
        super(null, 0, qos);
        this.entry = entry;
        this.whenThere = whenThere;
        this.whenNot = whenNot;
    }

    /** Its mark is kept here after its publisher's shard has kept it; without one there is none. */
    @Override
    public int shard(int here) {
        return entry.isKept() ? here : ANY_SHARD;
    }

    @Override
    public boolean canGoElsewhere() {
        return true;
    }

    /** Before its takers hear that it is over: for that they wait until its removal is kept. */
    @Override
    protected void onTaken() {
        (hasFailed() ? whenNot : whenThere).accept(entry);
    }
}
