package io.godwit.core.load;

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
            "sessions, their subscriptions and wills; what is known of other nodes' sessions and"
                    + " filters"),
    RETAINED("retained", "retained messages"),
    ROUTES("routes", "routes cached with their topics; names that other nodes have sent recently");

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

    public boolean isHeap() {
        return this != OUTBOUND;
    }
}
