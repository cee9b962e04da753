package io.godwit.cluster.remote;

/** What the simulation of remote connections has to meet. */
enum Met {
    OPENED,
    NOT_LEADER,
    WITHDRAWN,
    LOST_WHILE_OPENING,
    CLIENT_CLOSED,
    LEADER_CLOSED,
    SLOTS_CLOSED,
    OVERDRAWN,
    LINK_BROKE,
    LINK_RESUMED,
    BACK_TOO_LATE,
    RECEIVED_UNCONFIRMED,
    SENT_AGAIN,
    SILENT,
    NODE_ENDED,
    SOCKET_STALLED,
    READING_PAUSED,
    ALARM,
    WINDOW_GREW,
    NO_ROOM,
    TOLD_DISCONNECT,
    COMPLETE
}
