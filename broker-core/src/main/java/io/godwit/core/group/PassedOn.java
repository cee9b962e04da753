package io.godwit.core.group;

import io.godwit.core.ack.Receipt;
import io.godwit.core.queue.PartEntry;
import java.util.function.Consumer;

/** Waits until another node has an entry, which stays in its part until then. */
final class PassedOn extends Receipt {
    private final PartEntry entry;
    private final Consumer<PartEntry> whenThere;

    PassedOn(PartEntry entry, Consumer<PartEntry> whenThere) {
        super(null, 0, 1);
        this.entry = entry;
        this.whenThere = whenThere;
    }

    @Override
    public void onDone() {
        whenThere.accept(entry);
    }
}
