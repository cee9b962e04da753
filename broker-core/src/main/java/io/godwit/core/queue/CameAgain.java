package io.godwit.core.queue;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.store.CommitWaiter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message that a group's queue has, or had, and that has come again. Who waits is answered when
 * the one that the queue has is kept, unless the queue is given up before: then its followers have
 * confirmed it to nobody, and the node that leads their copies may not have it.
 */
public final class CameAgain implements CommitWaiter {
    public final Message message;
    private final List<CameAgain> all;
    private @Nullable Receipt waiting;

    /**
     * @param all what has come again and is not answered, to which this one adds itself
     */
    CameAgain(Message message, Receipt waiting, List<CameAgain> all) {
        this.message = message;
        this.waiting = waiting;
        this.all = all;
        all.add(this);
    }

    @Override
    public void onCommit(boolean isKept) {
        Receipt answered = take();
        if (answered != null) {
            all.remove(this);
            answered.targetDone(isKept);
        }
    }

    /** Returns who waits, and does not answer it any more; null when it was answered. */
    public @Nullable Receipt take() {
        Receipt taken = waiting;
        waiting = null;
        return taken;
    }
}
