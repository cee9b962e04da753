package io.godwit.persistence.journal;

import io.godwit.core.store.KeptWill;
import io.godwit.core.store.SessionRecord;

/** About what records take in memory while they wait to be written, and in the journal. */
final class RecordBytes {
    private static final int SESSION = 128;
    private static final int WILL = 256;

    private RecordBytes() {}

    static int of(SessionRecord session) {
        KeptWill waiting = session.will();
        int bytes = SESSION + (waiting == null ? 0 : of(waiting));
        for (KeptWill owed : session.owedWills()) {
            bytes += of(owed);
        }
        return bytes;
    }

    private static int of(KeptWill kept) {
        return WILL + (int) Math.min(Integer.MAX_VALUE - WILL, kept.will().accountedBytes());
    }
}
