package io.godwit.persistence.queue;

import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.operation.Subject;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.journal.OpList;

/**
 * Lets go of what was removed while its entry waits in the window: no row will be made of it, so
 * neither the message nor any operation of it is needed any more.
 */
final class Thinning {
    private Thinning() {}

    static void thin(JournalEntry entry) {
        int ops = 0;
        long bytes = 0;
        Message last = null;
        for (OpList list : entry.lists) {
            int kept = 0;
            for (int i = 0; i < list.size(); i++) {
                Object subject = list.subject(i);
                if (subject instanceof Subject.InFlightTo put && isVoid(put.entry())) {
                    continue;
                }
                if (subject instanceof QueuedMessage queued) {
                    if (isVoid(queued)) {
                        continue;
                    }
                    Message message = queued.message;
                    if (message != null && message != last) {
                        bytes += message.accountedBytes();
                        last = message;
                    }
                }
                list.keep(i, kept++);
            }
            list.cut(kept);
            ops += kept;
        }
        entry.ops = ops;
        entry.bytes = bytes + entry.recordBytes + 64L * ops;
        entry.thinned++;
    }

    /** It is gone, and was no row. */
    private static boolean isVoid(QueuedMessage entry) {
        return entry.stored() == QueuedMessage.GONE && !(entry.note instanceof RowNote);
    }
}
