package io.godwit.chaos;

/** What a run must have met to have proven something. */
enum Happening {
    ROUNDS,
    KILLS,
    KILLS_WHILE_STARTING,
    STOPS,
    /** Kills and stops after which the node stayed away until its sessions were taken over. */
    LONG_ABSENCES,
    /** Nodes that were killed, whose disks were lost, and in whose place another one came. */
    NODES_LOST,
    /** Nodes that were killed, and came back with an empty disk. */
    DISKS_LOST,
    /** Nodes that joined with an empty disk, and had the place of one that was stopped. */
    NODES_JOINED,
    CONNECTION_CUTS,
    /** All nodes of a cluster ended shortly after each other. */
    OUTAGES,
    /** A node did not run for a while, and went on. */
    PAUSES,
    /** Longer than its peers wait. */
    LONG_PAUSES,
    /** Links, or all links of a node, that were cut both ways, and one way. */
    CUTS,
    CUTS_ONE_WAY,
    /** Longer than the two ends wait. */
    LONG_CUTS,
    /** The disk of a node had little room left, and an alarm, or none. */
    SHORT_DISKS,
    FULL_DISKS,
    /** Syncs of a node's disk took long. */
    SLOW_DISKS,
    FAULTS,
    POWER_CUTS,
    STARTS,
    CONNECTS,
    SESSIONS_PRESENT,
    LEFT_ORDERLY,
    LEFT_WITHOUT_A_WORD,
    SENT_QOS0,
    SENT_QOS1,
    SENT_QOS2,
    ACKNOWLEDGED,
    REFUSED,
    /** Connections that ended without DISCONNECT, so that their will must come. */
    WILLS_DUE,
    RECEIVED_QOS0,
    RECEIVED_QOS1,
    RECEIVED_QOS2,
    RECEIVED_AGAIN_WITH_DUP,
    RECEIVED_AGAIN_WITHOUT_DUP,
    SUBSCRIBED,
    /** While a link was cut, or its ends might not know of each other's filters yet. */
    SUBSCRIBED_WHILE_CUT,
    /** Messages, once per session, that may stay away since it had subscribed while cut off. */
    SENT_TO_THE_CUT_OFF,
    /** Those of them that were acknowledged, and did. */
    MISSED_BY_THE_CUT_OFF,
    /** Messages, once per group, that were acknowledged and lost with the disk of a node. */
    MISSED_BY_GROUPS,
    UNSUBSCRIBED,
    RETAINED_CHECKED,
    /** Rounds that ended with publishes for which PUBACK or PUBREC was still to come. */
    ENDS_WITH_UNACKNOWLEDGED,
    UNACKNOWLEDGED_AT_END,
    /** Messages, once per session, that were acknowledged and not received when a round ended. */
    ACKNOWLEDGED_UNDELIVERED_AT_END,
    RESENT_QOS1,
    /** QoS 2 handshakes that went on after a connection ended, in the state that they had. */
    RESUMED_AT_PUBLISH_SENT,
    RESUMED_AT_PUBREL_SENT,
    RESUMED_AT_PUBREC_SENT,
    RESUMED_AT_PUBCOMP_AWAITED,
    /** Segments of the journal with unsynced bytes when the power went, and these bytes. */
    UNSYNCED_SEGMENTS,
    UNSYNCED_BYTES,
    UNSYNCED_BYTES_KEPT,
    TORN_SECTORS,
    FILES_GONE,
    /** Segments in which records were written over older ones since the cut before. */
    SEGMENTS_USED_AGAIN,
    /** Power cuts since whose predecessor several segments were written. */
    CUTS_WITH_SEVERAL_SEGMENTS
}
