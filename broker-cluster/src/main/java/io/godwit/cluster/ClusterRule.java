package io.godwit.cluster;

/**
 * A rule of the design whose absence the simulator must notice (design section 11). In production
 * each holds; only test code makes {@link ClusterRules} in which one does not.
 */
public enum ClusterRule {
    /** Frames of another link between the same nodes are dropped. */
    LINK_NAMES,
    /** A link ends when a frame is missing. */
    FRAME_NUMBERS,
    /** What may be sent is what the peer has room for. */
    CREDITS,
    /** A class of messages has credits of its own. */
    CLASSES,
    /** Data goes out only when the peer has said that it is open for just this link. */
    OPEN_BEFORE_DATA,
    /** Time-outs count only while the own loop ran. */
    OWN_TIME,
    /** A peer that confirms nothing is silent, however much comes from it. */
    CONFIRMATIONS_COUNT,
    /** Of two processes with one server id the later is refused while the other is heard. */
    ONE_PROCESS_PER_SERVER,
    /** A start of a node that is older than one that was seen is refused. */
    STARTS_GROW
}
