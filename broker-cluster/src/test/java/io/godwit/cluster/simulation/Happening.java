package io.godwit.cluster.simulation;

/** What a run has met: so many of each there must be. */
enum Happening {
    LINK_UP,
    LINK_DOWN,
    SILENT,
    HEARD_AGAIN,
    CUT_BOTH_WAYS,
    CUT_ONE_WAY,
    HEALED,
    STOPPED,
    CRASHED,
    COPY_STARTED,
    VIEW_LIED,
    FRAME_LOST,
    FRAME_LATE,
    RESUMED,
    UNCONFIRMED_BUT_RECEIVED,
    UNCONFIRMED_AND_LOST,
    CUT_MESSAGE,
    NO_ROOM,
    ROOM_AGAIN
}
