package io.godwit.core.codec;

/**
 * How much of the filters of SUBSCRIBEs and UNSUBSCRIBEs may be decoded now, in units of work: one
 * for a filter, and one for each {@link #UNIT_BYTES} that it has.
 */
public interface FilterPace {
    int UNIT_BYTES = 256;

    /** All at once. */
    FilterPace UNBOUNDED =
            new FilterPace() {
                @Override
                public int left() {
                    return Integer.MAX_VALUE;
                }

                @Override
                public void took(int units) {}
            };

    /** Units that may be spent; the last filter may take a little more. */
    int left();

    void took(int units);
}
