package io.godwit.persistence.files;

import io.godwit.core.failure.FileCauses;
import io.godwit.persistence.disk.StoreUnusable;
import java.io.IOException;
import java.util.List;

/**
 * What an opening has found, all of it whole.
 *
 * @param isNew there was nothing
 * @param next number of the next segment
 * @param released nothing up to this position is needed any more
 * @param live the segments, by number
 * @param free files to be used again
 */
record FoundJournal(
        long store,
        boolean isNew,
        long next,
        long released,
        List<Segment> live,
        List<String> free) {

    static StoreUnusable damaged(String where, String what) {
        return new StoreUnusable(
                "the journal in "
                        + where
                        + " is damaged and the store was not opened: "
                        + what
                        + ". Nothing was changed. 'godwit store verify' shows what can be read; then"
                        + " restore a backup, or let 'godwit store set-aside' move the damaged part"
                        + " away and start with the rest.");
    }

    static StoreUnusable unreadable(String where, IOException cause) {
        return new StoreUnusable(
                "can't open the journal in " + where + ": " + FileCauses.withFile(cause), cause);
    }
}
