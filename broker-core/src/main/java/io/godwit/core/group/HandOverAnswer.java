package io.godwit.core.group;

/** Says whether a session's queue has an entry that a group was handing over to it. */
public enum HandOverAnswer {
    /** Nobody can say now: it is asked again. */
    UNKNOWN,
    /** It has not, and never will have. */
    NO,
    /** It has, or had, and that is kept. */
    YES,
    /** There is no such session any more. */
    GONE;

    private static final HandOverAnswer[] ALL = values();

    /** Returns the answer of a code between nodes; unknown codes are no answers. */
    public static HandOverAnswer of(int code) {
        return code < 0 || code >= ALL.length ? UNKNOWN : ALL[code];
    }
}
