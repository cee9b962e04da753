package io.godwit.core.queue;

import io.godwit.core.store.ExpiredRow;
import java.util.List;

/** A queue with rows that are not in memory. */
interface ExpiredRows {
    /** The store says that these of its rows have expired. */
    void onExpired(List<ExpiredRow> rows);
}
