package io.godwit.cluster.remote;

import io.godwit.core.connection.Placement;
import io.godwit.core.connection.Wire;
import io.godwit.core.connection.WireListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A client's socket at the edge, and the client behind it. */
final class SimClient implements Wire, Opening {
    private static final byte[] DISCONNECT = {(byte) 0xE0, 1, (byte) 0x8B};

    final SimChannel channel;
    private final Simulation simulation;
    private final SplittableRandom random;
    private @Nullable WireListener listener;
    Placement.@Nullable Question question;

    /** Bytes written and not flushed, and flushed and not taken. */
    private int unflushed;

    private final List<ByteBuf> buffers = new ArrayList<>();

    private int pending;
    boolean isReading = true;
    boolean isStalled;
    boolean isSlow;
    boolean isClosed;
    private boolean isClosing;
    boolean isOver;
    private boolean hasDisconnect;

    SimClient(Simulation simulation, SimChannel channel, SplittableRandom random) {
        this.simulation = simulation;
        this.channel = channel;
        this.random = random;
        isSlow = random.nextInt(3) == 0;
    }

    // ---------------------------------------------------------------- opening

    private void answered(Met met) {
        simulation.require(++channel.openingCalls == 1, "%s: answered twice", channel);
        simulation.met(met);
    }

    @Override
    public void replaceListener(WireListener next) {
        listener = next;
    }

    @Override
    public void opened(Placement.Pipe pipe) {
        answered(Met.OPENED);
        listener = pipe.open(this);
        send(); // What was held undecoded.
        simulation.opened(this);
    }

    @Override
    public void notLeader(byte[] row) {
        answered(Met.NOT_LEADER);
        simulation.require(Arrays.equals(row, Simulation.ROW), "%s: another row", channel);
        isOver = true;
    }

    @Override
    public void closed() {
        simulation.require(false, "%s: closed while it is opened", channel);
    }

    @Override
    public void unreachable() {
        lost();
    }

    @Override
    public void lost() {
        answered(Met.LOST_WHILE_OPENING);
        channel.isCut = true;
        isOver = true;
    }

    void withdraw() {
        Placement.Question asked = question;
        if (channel.openingCalls == 0 && asked != null) {
            channel.openingCalls++;
            channel.clientEnded = true;
            channel.isCut = true;
            simulation.met(Met.WITHDRAWN);
            asked.withdraw();
            isOver = true;
        }
    }

    /** The edge's side of its channel; null when it has ended. */
    @Nullable ChannelEnd end() {
        return listener instanceof RemotePipe pipe ? pipe.channel() : null;
    }

    boolean isOpen() {
        return listener != null && !isOver && !isClosing;
    }

    // ---------------------------------------------------------------- what the client does

    void send() {
        WireListener to = listener;
        if (to == null || !isReading || isClosed || isClosing) {
            return;
        }
        byte[] some = channel.toLeader.add(random, random.nextInt(1, 1 << random.nextInt(1, 14)));
        ByteBuf in = Unpooled.wrappedBuffer(some);
        to.onBytes(in);
        in.release();
    }

    void leave() {
        if (isOpen()) {
            channel.clientEnded = true;
            simulation.met(Met.CLIENT_CLOSED);
            gone();
        }
    }

    void overdraw() {
        WireListener to = listener;
        if (isOpen() && to != null) {
            channel.clientEnded = true;
            to.onOverdrawn();
            gone();
        }
    }

    private void gone() {
        WireListener to = listener;
        if (!isClosed && to != null) {
            isClosed = true;
            isOver = true;
            for (ByteBuf each : buffers) {
                simulation.require(each.refCnt() == 0, "%s: a buffer was not released", channel);
            }
            to.onClosed();
        }
    }

    /** The network takes some bytes. */
    void drain() {
        if (isStalled || isClosed) {
            return;
        }
        take(isSlow ? Math.min(pending, 1 + random.nextInt(3_000)) : pending);
        if (pending > 0) {
            simulation.in(channel.edge, channel.id, 1_000 + random.nextInt(20_000), this::drain);
        }
        finishClose();
    }

    private void take(int bytes) {
        pending -= bytes;
        channel.toClient.taken += bytes;
    }

    void stall(boolean stalled) {
        isStalled = stalled;
        if (stalled) {
            simulation.met(Met.SOCKET_STALLED);
        } else {
            drain();
        }
    }

    // ---------------------------------------------------------------- the edge's wire

    @Override
    public ByteBuf allocate(int bytes) {
        ByteBuf made = Unpooled.buffer(bytes);
        buffers.add(made);
        return made;
    }

    @Override
    public void write(ByteBuf bytes) {
        byte[] some = new byte[bytes.readableBytes()];
        bytes.readBytes(some);
        bytes.release();
        if (isClosed) {
            return;
        }
        simulation.require(!isClosing, "%s: written after the end", channel);
        if (!channel.toClient.arrive(some)) {
            simulation.require(
                    Arrays.equals(some, DISCONNECT) && channel.isCut && channel.isV5,
                    "%s: wrong bytes to client",
                    channel);
            simulation.require(
                    channel.packetEnds.get(channel.toClient.arrived) && !hasDisconnect,
                    "%s: DISCONNECT in a packet",
                    channel);
            hasDisconnect = true;
            simulation.met(Met.TOLD_DISCONNECT);
            return;
        }
        unflushed += some.length;
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
        write(Unpooled.copiedBuffer(bytes, from, length));
    }

    @Override
    public void flush() {
        pending += unflushed;
        unflushed = 0;
        if (!isSlow && !isStalled) {
            take(pending);
        } else {
            simulation.in(channel.edge, channel.id, 1_000, this::drain);
        }
    }

    @Override
    public boolean isWritable() {
        return true;
    }

    @Override
    public long pendingBytes() {
        return (long) pending + unflushed;
    }

    @Override
    public void read(boolean wanted) {
        isReading = wanted;
    }

    @Override
    public void close() {
        if (!isClosing && !isClosed) {
            isClosing = true;
            simulation.require(
                    channel.isCut || channel.clientEnded || channel.toClient.isComplete(),
                    "%s: closed before its bytes were written",
                    channel);
            flush();
            simulation.in(channel.edge, channel.id, 1_000, this::finishClose);
        }
    }

    private void finishClose() {
        if (isClosing && pending == 0) {
            gone();
        }
    }

    @Override
    public boolean isPeerGone() {
        return false;
    }

    @Override
    public String remoteAddress() {
        return "client-" + channel.id;
    }

    @Override
    public boolean isLoopback() {
        return false;
    }

    @Override
    public String listener() {
        return "tcp";
    }
}
