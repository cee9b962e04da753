package io.godwit.core.load;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Counts what a shard holds, and says whether its publishers have to wait since the shard or the
 * node holds too much. The shard's thread writes; any thread reads the gauges. A method for each
 * thing that is counted: hence its length.
 */
public final class ShardLoad {
    /**
     * Bytes of a session with its client id that is online and has a queue; measured, rounded up.
     */
    private static final int SESSION_BYTES = 600;

    /** Bytes of a subscription in its session and in the topic index, its filter not counted. */
    private static final int SUBSCRIPTION_BYTES = 150;

    /** Bytes that a retained message's places in the index of topics take. */
    private static final int RETAINED_BYTES = 150;

    private final NodeLoad node;
    private final NodeMemory memory;
    private final LongSupplier mailboxBytes;
    private final LongSupplier handOverBytes;
    private final QueueLoad queues;
    private final AtomicLong connections = new AtomicLong();
    private final AtomicLong online = new AtomicLong();
    private final AtomicLong sessions = new AtomicLong();
    private final AtomicLong subscriptions = new AtomicLong();
    private final AtomicLong heldBytes = new AtomicLong();
    private final AtomicLong groupBytes = new AtomicLong();
    private final AtomicLong parkedBytes = new AtomicLong();
    private final AtomicLong reviewedBytes = new AtomicLong();
    private final AtomicLong comingIn = new AtomicLong();
    private final AtomicLong roomAwaited = new AtomicLong();
    private final AtomicLong peerBytes = new AtomicLong();
    private final AtomicLong spareChunkBytes = new AtomicLong();
    private final AtomicLong linkBytes = new AtomicLong();
    private final AtomicLong sessionBytes = new AtomicLong();
    private final AtomicLong routeBytes = new AtomicLong();
    private final AtomicLong nameBytes = new AtomicLong();
    private final AtomicLong lastConnectBytes = new AtomicLong();
    private final AtomicLong retainedMessages = new AtomicLong();
    private final AtomicLong retainedBytes = new AtomicLong();
    private boolean peerBehind;
    private boolean crowded;
    private long waitingQos0Bytes;

    /**
     * @param mailboxBytes bytes of the mail that is under way to the shard
     * @param handOverBytes of the mail that waits here for the end of a hand-over
     */
    public ShardLoad(NodeLoad node, LongSupplier mailboxBytes, LongSupplier handOverBytes) {
        this.node = node;
        this.memory = node.memory();
        this.queues = new QueueLoad(node);
        this.mailboxBytes = mailboxBytes;
        this.handOverBytes = handOverBytes;
    }

    /** What the shard's queues hold. */
    public QueueLoad queues() {
        return queues;
    }

    // ---------------------------------------------------------------- gauges, any thread

    public long connections() {
        return connections.getOpaque();
    }

    public long onlineSessions() {
        return online.getOpaque();
    }

    public long sessions() {
        return sessions.getOpaque();
    }

    public long subscriptions() {
        return subscriptions.getOpaque();
    }

    /** Bytes of packets that have not arrived whole, and of what waits behind a pause. */
    public long heldBytes() {
        return heldBytes.getOpaque();
    }

    /** Bytes that wait in the queues of the shard's groups, on disk too. As of the last tick. */
    public long groupBytes() {
        return groupBytes.getOpaque();
    }

    /** Bytes of PUBLISHes that were read and wait to be routed. */
    public long parkedBytes() {
        return parkedBytes.getOpaque();
    }

    /** Bytes of packets that extensions review, and of those behind them. */
    public long reviewedBytes() {
        return reviewedBytes.getOpaque();
    }

    /** Bytes that are kept until other nodes have answered. */
    public long peerBytes() {
        return peerBytes.getOpaque();
    }

    /**
     * Bytes that the shard holds of one class; those of outgoing buffers, commits and hashes the
     * node knows.
     */
    long bytes(MemoryClass of) {
        return switch (of) {
            case PARTIAL -> heldBytes();
            case PARKED -> parkedBytes();
            case EXTENSIONS -> reviewedBytes();
            case QUEUES -> queues.memoryBytes();
            case INGRESS -> queues.rememberedBytes();
            case MAILBOXES -> mailboxBytes.getAsLong();
            case HAND_OVERS -> handOverBytes.getAsLong();
            case PEERS -> peerBytes() + spareChunkBytes.getOpaque() + linkBytes.getOpaque();
            case SESSIONS ->
                    sessions() * SESSION_BYTES
                            + subscriptions() * SUBSCRIPTION_BYTES
                            + sessionBytes.getOpaque();
            case RETAINED -> retainedBytes() + retainedMessages() * RETAINED_BYTES;
            case ROUTES ->
                    routeBytes.getOpaque() + nameBytes.getOpaque() + lastConnectBytes.getOpaque();
            case OUTBOUND, COMMITS, HASHES, FILES, ATTRIBUTES -> 0;
        };
    }

    /** Retained messages of the node; 0 but on the shard that keeps them. As of the last tick. */
    public long retainedMessages() {
        return retainedMessages.getOpaque();
    }

    /**
     * Bytes of the node's retained messages; 0 but on the shard that keeps them. As of the last
     * tick.
     */
    public long retainedBytes() {
        return retainedBytes.getOpaque();
    }

    // ---------------------------------------------------------------- accounts, shard's thread

    public void retained(int messages, long bytes) {
        retainedMessages.setOpaque(messages);
        retainedBytes.setOpaque(bytes);
    }

    /**
     * Changes the count of connections that this shard serves, wherever their sockets are; sockets
     * are counted when they are admitted.
     */
    public void connections(int change) {
        add(connections, change);
    }

    /**
     * Changes the bytes of filters and wills that sessions of this shard have, of the filters of
     * other nodes, and of registered client ids.
     */
    public void sessionBytes(long change) {
        add(sessionBytes, change);
    }

    /** Whether the node has room for one more session with so many bytes of filters and will. */
    public boolean mayKeepSession(long bytes) {
        return node.mayKeepOfSessions(SESSION_BYTES + bytes);
    }

    /** Whether the node has room for one more subscription with a filter of so many bytes. */
    public boolean mayKeepSubscription(long bytes) {
        return node.mayKeepOfSessions(SUBSCRIPTION_BYTES + bytes);
    }

    /**
     * Whether the node has room for so many bytes more of what it knows of other nodes' clients.
     */
    public boolean mayRegister(long bytes) {
        return node.mayKeepOfSessions(bytes);
    }

    /**
     * Takes the bytes of one more session and its Will from what may be written during the disk
     * alarm.
     *
     * @return whether there were as many; always without an alarm
     */
    public boolean takeDiskReserveForSession(long willBytes) {
        return node.diskReserve().take(SESSION_BYTES + willBytes);
    }

    /** Takes the bytes of one more subscription; see {@link #takeDiskReserveForSession}. */
    public boolean takeDiskReserveForSubscription(long filterBytes) {
        return node.diskReserve().take(SUBSCRIPTION_BYTES + filterBytes);
    }

    /** Takes the bytes of a Will that may be published; see {@link #takeDiskReserveForSession}. */
    public boolean takeDiskReserveForWill(long bytes) {
        return node.diskReserve().take(bytes);
    }

    /** Number of this disk alarm, or of the last one; 0 before the first. */
    public int diskAlarms() {
        return node.diskReserve().alarm();
    }

    /** Changes the bytes of the routes that this shard's topics keep. */
    public void routes(long bytes) {
        routeBytes.setOpaque(bytes);
    }

    /** Bytes that the routes of this shard's topics may take. */
    public long routeBytesMax() {
        return node.routeBytesMax();
    }

    public void online(int change) {
        add(online, change);
    }

    public void sessions(int change) {
        add(sessions, change);
    }

    public void subscriptions(int change) {
        add(subscriptions, change);
    }

    /**
     * Changes the count of QoS 0 messages that wait for a subscriber that reads slowly; they count
     * as queued, too.
     */
    public void waitingQos0(long bytes, int messages) {
        waitingQos0Bytes += bytes;
        queues.queued(bytes, messages);
    }

    /** Whether so many bytes more of QoS 0 messages may wait on this shard. */
    public boolean mayWaitQos0(long bytes) {
        return waitingQos0Bytes + bytes <= node.waitingQos0BytesMax();
    }

    public void parked(long bytes) {
        add(parkedBytes, bytes);
    }

    /** Changes the bytes of packets that extensions review, and of those behind them. */
    public void reviewed(long bytes) {
        add(reviewedBytes, bytes);
    }

    /** Whether a message of so many bytes may come in: see {@link #awaitsRoom}. */
    public boolean mayComeIn(long bytes) {
        return memory.mayComeIn(bytes);
    }

    /** Changes the count of publishers whose next message waits until it may come in. */
    public void awaitsRoom(int change) {
        add(roomAwaited, change);
    }

    /** Changes the bytes of large messages that some of those they are for have not got yet. */
    public void comingIn(long change) {
        add(comingIn, change);
    }

    /** Bytes of such messages; any thread. */
    long comingIn() {
        return comingIn.getOpaque();
    }

    /** Whether a message waits until it may come in; any thread. */
    boolean isRoomAwaited() {
        return roomAwaited.getOpaque() > 0;
    }

    /** Whether the node has parked so much that each connection may park one PUBLISH only. */
    public boolean isParkingFull() {
        return node.isParkingFull();
    }

    /** Changes the bytes that are kept until other nodes have answered. */
    public void peers(long change) {
        add(peerBytes, change);
        queues.grewElsewhere(change);
    }

    /** Changes the bytes that stand by for what is kept so. */
    public void spareChunks(long change) {
        add(spareChunkBytes, change);
    }

    /** Bytes that this shard may keep for all other nodes together. */
    public long peerBytesMax() {
        return node.peerBytesMax();
    }

    /** This shard's part of the bytes that outgoing buffers may take. */
    public long outboundBytesMax() {
        return node.outboundBytesMax();
    }

    /** This shard's part of the bytes that were read and are not decoded. */
    public long partialBytesMax() {
        return node.partialBytesMax();
    }

    /** Bytes that links hold of what is not kept elsewhere; told by one shard for the node. */
    public void links(long bytes) {
        linkBytes.setOpaque(bytes);
    }

    /** Bytes of the names that links have brought lately; told by one shard for the node. */
    public void names(long bytes) {
        nameBytes.setOpaque(bytes);
    }

    /** Bytes of the CONNECTs that are remembered, since older ones may be on their way here. */
    public void lastConnects(long bytes) {
        lastConnectBytes.setOpaque(bytes);
    }

    public void groups(long bytes) {
        groupBytes.setOpaque(bytes);
    }

    public void held(long bytes) {
        add(heldBytes, bytes);
    }

    static void add(AtomicLong gauge, long change) {
        gauge.setOpaque(gauge.getPlain() + change);
    }

    /**
     * Whether there is room for more of a packet that has not arrived whole.
     *
     * @param has bytes of the packet that are here already
     */
    public boolean mayHold(int bytes, int has) {
        return node.mayHold(bytes, has);
    }

    /** Whether packets that have not arrived whole take more than half of what they may. */
    public boolean isHoldingMuch() {
        return node.isHoldingMuch();
    }

    // ---------------------------------------------------------------- who waits
    /**
     * Whether memory, the disk or all queues together raise an alarm: publishers wait, and nothing
     * is discarded.
     */
    public boolean isAlarm() {
        return node.isAlarm();
    }

    /** Whether the memory alarm or that of all durable queues is on. */
    public boolean isQueueAlarm() {
        return node.isQueueAlarm();
    }

    /** Whether the disk is nearly full: nothing is stored that a client publishes. */
    public boolean isDiskAlarm() {
        return node.isDiskAlarm();
    }

    /** Whether messages of other nodes wait: no room in memory, or on a disk, here or of a copy. */
    public boolean mustNodesWait() {
        return memory.isAlarm() || node.isDiskAlarm() || node.areCopiesFull();
    }

    /** Whether that of memory is on. */
    public boolean isMemoryAlarm() {
        return memory.isAlarm();
    }

    /** See {@link io.godwit.core.store.Store#isBehind}. */
    public boolean isStoreBehind() {
        return node.isStoreBehind();
    }

    /** Bytes that each session may hold; without a bound while memory is not short. */
    public long mayHold() {
        return memory.mayHold();
    }

    /** Whether those wait who publish to whoever holds more than {@link #mayHold}. */
    public boolean isMemoryShort() {
        return memory.isShort();
    }

    /** Changes the count of subscribers that publishers wait for, since they are behind. */
    public void behind(int change) {
        node.behind(change);
    }

    /** Whether there is such a subscriber, on any shard. */
    public boolean isAnyBehind() {
        return node.countBehind() > 0;
    }

    /** Whether some shard is behind with its mail: then publishers wait. */
    public boolean isPeerBehind() {
        return peerBehind;
    }

    public void peerBehind(boolean behind) {
        peerBehind = behind;
    }

    /** Whether some shard has enough of large fan-outs: then those who publish to many wait. */
    public boolean isCrowded() {
        return crowded;
    }

    public void crowded(boolean isCrowded) {
        crowded = isCrowded;
    }

    /** Bytes that may wait for a client that does not read its acknowledgements. */
    public long answerBytesMax() {
        return node.answerBytesMax();
    }
}
