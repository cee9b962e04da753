package io.godwit.benchmarks.load.relay;

import io.godwit.core.operation.ByteReader;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.collection.IntObjectHashMap;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * The channels of one event loop. What its sockets bring in one turn leaves as one batch for each
 * loop of the other node; what batches bring is written to the sockets, and flushed once.
 *
 * <p>A channel's number is drawn by the edge: count * loops + index of the edge's loop. Count
 * modulo loops is the index of the loop at the other end.
 */
final class RelayLoop {
    private static final int BATCH_BYTES_LEAST = 512;

    private final RelayPeer peer;
    private final EventLoop eventLoop;
    private final int index;
    private final int loops;
    private final FlowControl flow;
    private final int giveBackBytes;
    private final IntObjectHashMap<RelayedSocket> sockets = new IntObjectHashMap<>();
    private final @Nullable RelayBatch[] batches;

    /** By loop of the other node: bytes of the batch before. */
    private final int[] usualBytes;

    /** Sockets that were written to in this turn. */
    private final ArrayDeque<RelayedSocket> unflushed = new ArrayDeque<>();

    private final Runnable endTurn = this::endTurn;
    private final Runnable readArrived = this::readArrived;
    private boolean turnEndsSoon;
    private int opened;
    private @Nullable InetSocketAddress broker;

    /** Batches from the other node, by the transport's thread. */
    private final MpscUnboundedArrayQueue<byte[]> arrived = new MpscUnboundedArrayQueue<>(256);

    private final AtomicBoolean isWoken = new AtomicBoolean();

    RelayLoop(
            RelayPeer peer,
            EventLoop eventLoop,
            int index,
            int loops,
            FlowControl flow,
            int giveBackBytes) {
        this.peer = peer;
        this.eventLoop = eventLoop;
        this.index = index;
        this.loops = loops;
        this.flow = flow;
        this.giveBackBytes = giveBackBytes;
        batches = new @Nullable RelayBatch[loops];
        usualBytes = new int[loops];
    }

    /** The one of these that has the channel's event loop. */
    static RelayLoop of(Channel channel, List<RelayLoop> loops) {
        EventLoop own = channel.eventLoop();
        return loops.stream().filter(each -> each.eventLoop == own).findFirst().orElseThrow();
    }

    EventLoop eventLoop() {
        return eventLoop;
    }

    int index() {
        return index;
    }

    RelayPeer peer() {
        return peer;
    }

    // ---- from other threads ----

    void openSocketsTo(InetSocketAddress address) {
        eventLoop.execute(() -> broker = address);
    }

    /** Hands over records of the other node; {@link #wake} follows. */
    void arrived(byte[] records) {
        arrived.offer(records);
    }

    void wake() {
        if (!arrived.isEmpty() && isWoken.compareAndSet(false, true)) {
            eventLoop.execute(readArrived);
        }
    }

    // ---- on the loop: what comes from sockets ----

    /** Opens a channel for a client's connection. */
    void accept(Channel client) {
        if (!peer.isUp()) {
            client.close();
            return;
        }
        int count = opened++;
        RelayedSocket socket = new RelayedSocket(this, count * loops + index, count % loops, flow);
        sockets.put(socket.channel(), socket);
        client.pipeline().addLast(socket);
        socket.attach(client);
        batch(socket, 0).add(socket.channel(), RelayBatch.OPEN);
    }

    void addData(RelayedSocket from, ByteBuf data) {
        batch(from, data.readableBytes()).addData(from.channel(), data);
    }

    /** Tells the other node that a socket is gone. */
    void addClose(RelayedSocket socket) {
        if (sockets.remove(socket.channel()) != null) {
            batch(socket, 0).add(socket.channel(), RelayBatch.CLOSE);
        }
    }

    /** Gives credit back once there is enough of it. */
    void addTaken(RelayedSocket socket) {
        int taken = socket.takenBytes();
        if (taken > 0 && taken >= giveBackBytes) {
            batch(socket, 0).addWindow(socket.channel(), taken);
            socket.gaveBack();
        }
    }

    private RelayBatch batch(RelayedSocket socket, int dataBytes) {
        int loop = socket.farLoop();
        RelayBatch open = batches[loop];
        if (open != null && !open.hasRoom(dataBytes)) {
            send(loop, open);
            open = null;
        }
        if (open == null) {
            open = new RelayBatch(loop, Math.max(BATCH_BYTES_LEAST, 2 * usualBytes[loop]));
            batches[loop] = open;
        }
        endTurnSoon();
        return open;
    }

    private void send(int loop, RelayBatch batch) {
        usualBytes[loop] = batch.bytes();
        batches[loop] = null;
        peer.send(batch);
    }

    void endTurnSoon() {
        if (!turnEndsSoon) {
            turnEndsSoon = true;
            eventLoop.execute(endTurn);
        }
    }

    private void endTurn() {
        RelayedSocket socket;
        while ((socket = unflushed.poll()) != null) {
            socket.flush();
        }
        turnEndsSoon = false;
        for (int i = 0; i < loops; i++) {
            RelayBatch batch = batches[i];
            if (batch != null) {
                send(i, batch);
            }
        }
    }

    // ---- on the loop: what comes from the other node ----

    private void readArrived() {
        isWoken.set(false);
        byte[] records;
        while ((records = arrived.poll()) != null) {
            read(records);
        }
        endTurnSoon();
    }

    void read(byte[] records) {
        ByteReader in = new ByteReader(records);
        while (!in.isAtEnd()) {
            int head = in.smallInt();
            int channel = head >>> 2;
            RelayedSocket socket = sockets.get(channel);
            switch (head & 3) {
                case RelayBatch.OPEN -> open(channel);
                case RelayBatch.DATA -> {
                    int length = in.size();
                    if (socket != null && socket.write(records, in.next(), length)) {
                        unflushed.add(socket);
                    }
                    in.skipTo(in.next() + length);
                }
                case RelayBatch.WINDOW -> {
                    int taken = in.smallInt();
                    if (socket != null) {
                        socket.onWindow(taken);
                    }
                }
                default -> {
                    if (socket != null) {
                        sockets.remove(channel);
                        socket.close();
                    }
                }
            }
        }
    }

    private void open(int channel) {
        InetSocketAddress to = broker;
        if (to == null) {
            throw new IllegalStateException("channel " + channel + " opened at the edge");
        }
        RelayedSocket socket = new RelayedSocket(this, channel, channel % loops, flow);
        sockets.put(channel, socket);
        socket.attach(Sockets.connect(eventLoop, to, socket));
    }
}
