package io.godwit.cluster.replication;

/** A rule of copies that the simulator can switch off, to show that it is needed. */
public enum CopyRule {
    /** A follower confirms what is on its disk. */
    CONFIRM_WHEN_COMMITTED,
    /** An acknowledgement waits for the followers of its copy set. */
    CONFIRM_WAITS,
    /** A follower's successor gets first what that one had not confirmed. */
    OWED_IS_PASSED_ON,
    /** A piece of a fill stands in the stream where it was read: later parts come behind it. */
    MOMENT_PAGES,
    /** Acknowledgements of a start wait until followers are chosen. */
    OPENING_WAITS,
    /** A follower applies parts without a gap, and is filled anew when it has lost some. */
    POSITIONS,
    /** A fill leaves out only queues whose copies have the same digest. */
    EQUAL_LEFT_OUT,
    /**
     * When a follower leaves, acknowledgements wait until the record without it was shown to every
     * live member.
     */
    SHOWN,
    /** A node has records on its disk before it answers that they were shown to it. */
    RECORDS_ON_DISK,
    /** Every live member has to accept a take-over. */
    ASK_ALL,
    /** A member that hears the leader accepts no take-over. */
    REFUSE_WHILE_HEARD,
    /** A take-over needs more than half of the members that count. */
    MAJORITY,
    /** A member that has accepted a take-over refuses all later records of the former leader. */
    TAKEN_IS_FINAL,
    /**
     * A leader does without a whole follower only while no more than half of the members that count
     * could decide without it.
     */
    SHRINK_NEEDS_QUORUM,
    /** Who takes over goes by the highest records that any live member knows. */
    RECORDS_OF_ALL,
    /**
     * The records of the node that takes over call nobody whole before it has what it takes over.
     */
    DEMOTE_FIRST,
    /** Nothing of a leader counts at a node that knows of a take-over which the leader does not. */
    FENCE,
    /** A leader acknowledges nothing of a copy set that it has given to a follower. */
    GIVEN_IS_CLOSED
}
