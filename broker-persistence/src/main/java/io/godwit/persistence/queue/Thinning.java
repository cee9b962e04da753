package io.godwit.persistence.queue;

import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.operation.Subject;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.journal.OpList;

/**
 * Lets go of what was removed while its entry waits in the window: no row will be made of it, or
 * moved, so neither the message nor any operation of it is needed any more.
 */
public final class Thinning {
    private static final Object REMOVED = new Object();

    private Thinning() {}

    public static void thin(JournalEntry entry) {
        int ops = 0;
        int held = 0;
        long bytes = 0;
        Message last = null;
        for (OpList list : entry.lists) {
            int left = 0;
            for (int i = 0; i < list.size(); i++) {
                Object subject = list.subject(i);
                if (isVoid(subject)) {
                    continue;
                }
                if (subject instanceof QueuedMessage queued) {
                    Message message = queued.message;
                    if (message != null && message != last) {
                        bytes += message.accountedBytes();
                        last = message;
                    }
                }
                bytes += RemovedRows.packedBytes(subject);
                ops += RemovedRows.operations(subject);
                list.keep(i, left++);
            }
            list.cut(left);
            held += left;
        }
        entry.ops = ops;
        entry.bytes = bytes + entry.recordBytes + 64L * held;
        entry.thinned++;
    }

    /**
     * Whether it is about an entry whose removal has arrived, and of which no row is to be made or
     * moved: until then whoever asks what the queue holds at this place of the journal has to see
     * it. A removal of a row is in {@link RemovedRows} by then.
     */
    public static boolean isVoid(Object subject) {
        return switch (subject) {
            case QueuedMessage entry -> entry.note == REMOVED;
            case Subject.InFlightTo put -> put.entry().note == REMOVED;
            case Remembered ingress -> ingress.kept == Remembered.GONE;
            default -> false;
        };
    }

    /** The removal of an entry has come into the window. */
    public static void removed(QueuedMessage entry) {
        if (!(entry.note instanceof RowNote)) {
            letGo(entry);
        }
    }

    /** All that the window has of it is void from now on. */
    static void letGo(QueuedMessage entry) {
        entry.note = REMOVED;
    }
}
