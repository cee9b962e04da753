package io.godwit.persistence.queue;

import io.godwit.persistence.disk.KeyRange;

/** Hears what has become rows, and what of rows is gone; on the row worker. */
public interface RowProgress {
    /** Nobody wants to know. */
    RowProgress UNHEARD =
            new RowProgress() {
                @Override
                public void written(long upTo) {}

                @Override
                public void rowsGone(int count) {}

                @Override
                public void payloadsGone(int count, KeyRange range) {}
            };

    /** Rows up to this position of the journal were written. */
    void written(long upTo);

    void rowsGone(int count);

    /**
     * @param range their keys are in it
     */
    void payloadsGone(int count, KeyRange range);
}
