package io.godwit.core.simulation;

import io.godwit.core.connection.ClientConnection;
import io.godwit.core.connection.Wire;
import io.godwit.core.connection.WireListener;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.node.SessionProbe;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.session.Session;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.random.RandomGenerator;

/**
 * A connection between one client and one shard: bytes take time, come in pieces cut anywhere, and
 * may end anywhere. What it promises is what a TCP socket does.
 *
 * <p>Both ends stand in this one class, hence its length: each end of the socket depends on what
 * the other has done, and what has left one is what the other has yet to get.
 */
final class Link implements Wire {
    /** The client's side. */
    interface Endpoint {
        void onBytes(byte[] bytes);

        void onClosed();

        /** The protocol version that the link speaks. */
        ProtocolVersion version();

        /** The broker has died; what was flushed may still come. */
        default void onBrokerGone() {}
    }

    private final SimulatedNode node;
    private final Scheduler scheduler;
    private final RandomGenerator random;
    private final Incarnation broker;
    private final SimulatedLoop loop;
    private final BrokerShard shard;
    private final Endpoint client;
    private ClientConnection connection;

    /** Who hears the broker's side: the connection, until another takes its place. */
    private WireListener listener;

    private final Bytes in = new Bytes();
    private final Bytes unflushed = new Bytes();
    private final Bytes out = new Bytes();
    private final Wiretap wiretap;
    private boolean inScheduled;
    private boolean outScheduled;
    private boolean brokerReads = true;
    private boolean clientReads = true;
    private boolean writable = true;

    /** It is writable again, and the broker has not been told yet. */
    private boolean tellsWritable;

    /** No more bytes get through. */
    private boolean dead;

    private boolean brokerClosing;
    private boolean clientClosing;
    private boolean clientGone;
    private boolean brokerGone;

    private long goneAtMicros = -1;

    /** Generation and queue of the session at the broker's first byte, CONNACK; 0 = none. */
    long generation;

    long queueId;
    boolean durable;
    private boolean answered;
    private boolean lastWordArrived;

    Link(SimulatedNode node, int shardIndex, Endpoint client) {
        this.node = node;
        this.scheduler = node.scheduler();
        this.random = node.random();
        this.broker = node.broker();
        this.client = client;
        this.wiretap =
                new Wiretap(client.version(), number -> node.watch().sent(generation, number));
        if (broker == null || broker.stopping || !broker.ready || isPaused()) {
            loop = null;
            shard = null;
            brokerGone = true;
            scheduler.in(node.profile().latency(random), this::lost);
            return;
        }
        this.loop = broker.loops[shardIndex];
        this.shard = broker.broker.shard(shardIndex);
        broker.links.add(this);
        loop.run(() -> {
            connection = shard.open(this);
            listener = connection;
        });
    }

    private boolean isPaused() {
        return broker != null && broker.isPaused(scheduler.micros());
    }

    /** Runs a task when the broker's process runs again. */
    private void afterPause(Runnable task) {
        scheduler.in(broker.pauseLeft(scheduler.micros(), random), task);
    }

    /** There is nobody at the other end. */
    private void lost() {
        dead = true;
        tellClient();
    }

    /**
     * The broker's process is gone, with what it had not flushed yet. What was flushed may still
     * arrive; the client notices sooner or later.
     */
    void brokerDies() {
        if (brokerGone) {
            return;
        }
        gone();
        client.onBrokerGone();
        if (!dead) {
            in.cut(0);
            boolean late = random.nextInt(6) == 0;
            scheduler.in(
                    late ? random.nextInt(1_500_000) : random.nextInt(30_000),
                    () -> {
                        if (!dead && clientReads && !clientClosing && !out.isEmpty()) {
                            client.onBytes(out.take(random.nextInt(out.size() + 1)));
                        }
                        lost();
                    });
        }
    }

    ClientConnection connection() {
        return connection;
    }

    // ---------------------------------------------------------------- the broker's side

    private void inside() {
        if (!loop.isInside()) {
            throw new IllegalStateException("shard " + shard.index() + "'s wire, used by another");
        }
    }

    @Override
    public ByteBuf allocate(int bytes) {
        inside();
        return broker.allocator.heapBuffer(bytes);
    }

    @Override
    public void write(ByteBuf bytes) {
        inside();
        if (!answered) {
            answered = true;
            Session session = SessionProbe.sessionOf(connection);
            if (session != null) {
                generation = session.generation();
                queueId = SessionProbe.queueId(session);
                durable = session.isDurable();
            }
        }
        wiretap.written(bytes);
        if (!brokerGone) {
            unflushed.add(bytes);
        }
        bytes.release();
        if (writable && pendingBytes() > node.profile().writeHighWater) {
            writable = false;
            node.count(Happening.UNWRITABLE);
        }
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
        write(Unpooled.wrappedBuffer(bytes, from, length));
    }

    @Override
    public void flush() {
        inside();
        byte[] bytes = unflushed.take(Integer.MAX_VALUE);
        if (bytes.length > 0) {
            out.add(Unpooled.wrappedBuffer(bytes));
        }
        pumpOutSoon();
    }

    @Override
    public boolean isWritable() {
        return writable;
    }

    /** Whether the broker is still to be told that it is writable. */
    boolean tellsWritable() {
        return tellsWritable;
    }

    @Override
    public long pendingBytes() {
        return (long) unflushed.size() + out.size();
    }

    @Override
    public void read(boolean wanted) {
        inside();
        brokerReads = wanted;
        if (!wanted) {
            node.count(Happening.READING_PAUSED);
        }
        pumpInSoon();
    }

    @Override
    public void replaceListener(WireListener next) {
        inside();
        listener = next;
        if (brokerGone) {
            next.onClosed();
        }
    }

    @Override
    public void close() {
        inside();
        if (!brokerClosing) {
            brokerClosing = true;
            flush();
            scheduler.in(random.nextInt(20_000), this::finishClose);
        }
    }

    private void finishClose() {
        if (!dead && clientReads && random.nextInt(5) > 0) {
            while (!out.isEmpty() && !dead) {
                client.onBytes(out.take(1 + random.nextInt(out.size())));
            }
        }
        dead = true;
        tellClient();
        tellBroker();
    }

    @Override
    public String remoteAddress() {
        return "simulated";
    }

    @Override
    public boolean isPeerGone() {
        return clientClosing;
    }

    @Override
    public boolean isLoopback() {
        return true;
    }

    @Override
    public String listener() {
        return "simulated";
    }

    // ---------------------------------------------------------------- the client's side

    boolean isOpen() {
        return !dead && !clientClosing;
    }

    /** Takes over the bytes. */
    void send(ByteBuf bytes) {
        if (isOpen()) {
            in.add(bytes);
            pumpInSoon();
        }
        bytes.release();
    }

    /** The last that the client sent has arrived, and closed the connection in the broker. */
    boolean lastWordArrived() {
        return lastWordArrived;
    }

    /** The broker knows that it is over. */
    boolean isGoneInBroker() {
        return brokerGone;
    }

    /** When the broker has noticed, or died; -1 = it has not. */
    long goneAtMicros() {
        return goneAtMicros;
    }

    private void gone() {
        brokerGone = true;
        goneAtMicros = scheduler.micros();
    }

    void clientReads(boolean reads) {
        clientReads = reads;
        pumpOutSoon();
    }

    /** Closes in order: what was sent arrives first. */
    void closeByClient() {
        if (isOpen()) {
            clientClosing = true;
            pumpInSoon();
            scheduler.in(
                    300_000,
                    () -> {
                        dead = true;
                        tellBroker();
                    });
        }
    }

    /**
     * The network is gone: of what is under way any part still arrives.
     *
     * @param noticeMicros until the broker is told
     */
    void cut(long noticeMicros) {
        if (dead) {
            return;
        }
        if (!out.isEmpty() && clientReads) {
            client.onBytes(out.take(random.nextInt(out.size() + 1)));
        }
        in.cut(random.nextInt(in.size() + 1));
        while (!in.isEmpty() && brokerReads && !isPaused()) {
            toBroker();
        }
        dead = true;
        tellClient();
        scheduler.in(noticeMicros, this::tellBroker);
    }

    // ---------------------------------------------------------------- bytes under way

    private void pumpInSoon() {
        if (!inScheduled && !dead && brokerReads && (clientClosing || !in.isEmpty())) {
            inScheduled = true;
            scheduler.in(node.profile().latency(random), this::pumpIn);
        }
    }

    private void pumpIn() {
        inScheduled = false;
        if (dead || !brokerReads) {
            return;
        }
        if (isPaused()) {
            inScheduled = true;
            afterPause(this::pumpIn);
            return;
        }
        if (!in.isEmpty()) {
            boolean closedBefore = brokerClosing;
            toBroker();
            lastWordArrived =
                    clientClosing
                            && in.isEmpty()
                            && brokerClosing
                            && !closedBefore
                            && !broker.stopping;
        }
        if (clientClosing && in.isEmpty()) {
            dead = true;
            tellBroker();
        } else {
            pumpInSoon();
        }
    }

    private void toBroker() {
        byte[] chunk = in.take(node.profile().chunk(random, in.size()));
        if (brokerGone) {
            return;
        }
        ByteBuf buffer = broker.allocator.heapBuffer(chunk.length);
        buffer.writeBytes(chunk);
        loop.run(() -> listener.onBytes(buffer));
        if (buffer.refCnt() != 1) {
            throw new IllegalStateException("borrowed bytes with " + buffer.refCnt() + " owners");
        }
        buffer.release();
    }

    private void pumpOutSoon() {
        if (!outScheduled && !dead && clientReads && !out.isEmpty()) {
            outScheduled = true;
            scheduler.in(node.profile().latency(random), this::pumpOut);
        }
    }

    private void pumpOut() {
        outScheduled = false;
        if (dead || clientClosing || !clientReads || out.isEmpty()) {
            return;
        }
        byte[] chunk = out.take(node.profile().chunk(random, out.size()));
        client.onBytes(chunk);
        if (!writable && pendingBytes() < node.profile().writeLowWater && !brokerClosing) {
            writable = true;
            tellsWritable = true;
            scheduler.in(0, this::tellWritable);
        }
        pumpOutSoon();
    }

    private void tellWritable() {
        if (!brokerGone && writable) {
            if (isPaused()) {
                afterPause(this::tellWritable);
            } else {
                tellsWritable = false;
                loop.run(listener::onWritable);
            }
        }
    }

    private void tellClient() {
        if (!clientGone) {
            clientGone = true;
            if (!clientClosing) {
                client.onClosed();
            }
        }
    }

    private void tellBroker() {
        if (!brokerGone && isPaused()) {
            afterPause(this::tellBroker);
        } else if (!brokerGone) {
            gone();
            long held = shard.load().heldBytes();
            loop.run(listener::onClosed);
            if (shard.load().heldBytes() < held) {
                node.count(Happening.CUT_IN_A_PACKET_IN);
            }
        }
    }
}
