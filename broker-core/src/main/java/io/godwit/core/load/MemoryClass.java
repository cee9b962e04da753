package io.godwit.core.load;

import java.util.EnumSet;
import java.util.Set;

/**
 * What the node's memory goes to: everything that lives longer than a turn is charged to one of
 * these. All but {@link #OUTBOUND} is Java heap.
 */
public enum MemoryClass {
    OUTBOUND("outbound", "outgoing buffers that sockets have not taken; network buffers"),
    PARTIAL(
            "partial",
            "incomplete packets, bytes read while decoding is paused, CONNECTs and filters that"
                    + " wait"),
    PARKED("parked", "PUBLISHes that were read and wait to be routed"),
    QUEUES("queues", "messages that wait for clients, or are in flight to them"),
    INGRESS(
            "ingress",
            "ids of QoS 2 messages that queues remember, since they may come again, and who does"),
    COMMITS(
            "commits",
            "what the store's window and commits in progress hold in addition to the queues"),
    MAILBOXES("mailboxes", "mail between shards"),
    HAND_OVERS("hand-overs", "mail for sessions that are on their way to another shard"),
    PEERS("peers", "what waits for other nodes, or has arrived from them and is not processed yet"),
    SESSIONS(
            "sessions",
            "sessions, their subscriptions and wills; in a cluster the filters of other nodes, and"
                    + " the client ids that are registered here"),
    RETAINED("retained", "retained messages"),
    ROUTES(
            "routes",
            "routes cached with their topics; names that other nodes have sent recently; client ids"
                    + " that have connected recently"),
    HASHES("hashes", "threads that hash passwords, while they do"),
    FILES("files", "users, rules and revocation lists, about: by the size of their files"),
    EXTENSIONS("extensions", "PUBLISHes and SUBSCRIBEs that were read and wait for extensions"),
    ATTRIBUTES("attributes", "attributes that extensions have given to connections");

    /** Classes of which subscribers, disks and other shards take something away by themselves. */
    static final Set<MemoryClass> DRAINABLE =
            EnumSet.of(OUTBOUND, QUEUES, COMMITS, MAILBOXES, HAND_OVERS);

    /**
     * Classes that raise an alarm and do not keep it up: what it makes wait, and what other nodes
     * take away, since these may wait for this one in the same way.
     */
    static final Set<MemoryClass> WAITING = EnumSet.of(PARTIAL, PARKED, PEERS, EXTENSIONS);

    private final String tag;
    private final String meaning;

    MemoryClass(String tag, String meaning) {
        this.tag = tag;
        this.meaning = meaning;
    }

    /** The name that metrics and the command line have for this class. */
    public String tag() {
        return tag;
    }

    /** Says in words what is counted. */
    public String meaning() {
        return meaning;
    }

    /** Whether the memory alarm counts this class: the others have shares of their own. */
    boolean isCounted() {
        return DRAINABLE.contains(this) || WAITING.contains(this);
    }

    public boolean isHeap() {
        return this != OUTBOUND;
    }
}
