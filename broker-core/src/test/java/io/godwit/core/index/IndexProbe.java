package io.godwit.core.index;

/** What tests ask of the index room. */
public final class IndexProbe {
    private IndexProbe() {}

    /** Filters that one slice adds or removes. */
    public static int slice() {
        return IndexMail.SLICE;
    }

    /** Whether retained messages are still to come, and nobody has asked for the next batch. */
    public static boolean isReplayStalled(Subscriptions of) {
        return of.replays != null && !of.replays.getFirst().asked;
    }
}
