package io.godwit.core.index;

/** What tests ask of the index room. */
public final class IndexProbe {
    private IndexProbe() {}

    /** Filters that one slice adds or removes. */
    public static int slice() {
        return IndexMail.SLICE;
    }
}
