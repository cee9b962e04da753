package io.godwit.core.message;

/**
 * That a queue has, or had, a QoS 2 message, or, with queue id 0, the retained store: its ingress
 * id, for as long as the publisher's side may send the message again. It stands under the message
 * id of the append: the message was delivered when the queue accounts for that id and has no entry
 * of it. So a delivery changes nothing here, and copies merge it as they merge entries.
 *
 * <p>The same object from the append to the end. The owner's shard makes it; the store's threads
 * write it down.
 */
public class Remembered {
    /** Not on the disk: in the window, or on its way there. */
    public static final byte NEW = 0;

    public static final byte ON_DISK = 1;

    /** Forgotten: before it was written, or since. */
    public static final byte GONE = 2;

    /** 0 for the retained store, with an id of its shard as its message id. */
    public final long queueId;

    /** Clock of the message id. */
    public final long clock;

    /** Server id of the message id. */
    public final int server;

    public final int ingressServer;
    public final long ingressCounter;

    /** What the store has of it; only the store's row thread touches it. */
    public byte kept;

    public Remembered(
            long queueId, long clock, int server, int ingressServer, long ingressCounter) {
        this.queueId = queueId;
        this.clock = clock;
        this.server = server;
        this.ingressServer = ingressServer;
        this.ingressCounter = ingressCounter;
    }
}
