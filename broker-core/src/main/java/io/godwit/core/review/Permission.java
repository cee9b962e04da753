package io.godwit.core.review;

import io.godwit.core.auth.Access;

/** Says who decides whether a client may do something that was reviewed. */
public enum Permission {
    /** The reviewer has decided: the client may. */
    GRANTED,

    /** The client's rules decide: the reviewer has left it to them. */
    BY_RULES,

    /** The client's rules decide, and without any it may not: the reviewer has left it to them. */
    BY_RULES_ALONE;

    /**
     * Returns what the client may do with what was reviewed.
     *
     * @param own what its rules let it do; {@link Access#OPEN} where there are none
     */
    public Access of(Access own) {
        return switch (this) {
            case GRANTED -> Access.ALL;
            case BY_RULES -> own;
            case BY_RULES_ALONE -> own == Access.OPEN ? Access.NOTHING : own;
        };
    }
}
