package io.godwit.core.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.store.CopyPage;

/** An entry that came with a page of the queue's former home, under the id that it had there. */
final class ArrivedEntry extends QueueEntry {
    private final HybridId behind;

    /**
     * @param behind what was before it in its page, or where that begins
     */
    ArrivedEntry(long queueId, CopyPage.Entry of, HybridId behind) {
        super(queueId, of.id().clock(), of.message(), of.qos(), of.retain(), of.ids(), null);
        this.behind = behind;
        server = of.id().server();
    }

    @Override
    public HybridId arrivedBehind() {
        return behind;
    }
}
