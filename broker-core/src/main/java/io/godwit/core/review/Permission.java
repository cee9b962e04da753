package io.godwit.core.review;

/** Says who decides whether a client may do something that was reviewed. */
public enum Permission {
    /** The reviewer has decided: the client may. */
    GRANTED,

    /** The client's rules decide: the reviewer has left it to them. */
    BY_RULES,

    /** The client's rules decide, and without any it may not: the reviewer has left it to them. */
    BY_RULES_ALONE
}
