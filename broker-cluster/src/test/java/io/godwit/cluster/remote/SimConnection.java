package io.godwit.cluster.remote;

import io.godwit.core.connection.Wire;
import io.godwit.core.connection.WireListener;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The connection that a leader runs: reads, writes packets, pauses and closes by chance. */
final class SimConnection implements WireListener {
    final SimChannel channel;
    final Wire wire;
    private final Simulation simulation;
    private final SplittableRandom random;
    private final List<ByteBuf> buffers = new ArrayList<>();
    boolean isReading = true;
    boolean isClosed;

    SimConnection(Simulation simulation, SimChannel channel, Wire wire, SplittableRandom random) {
        this.simulation = simulation;
        this.channel = channel;
        this.wire = wire;
        this.random = random;
        writePacket(new byte[] {0x20, 2, 0, 0});
        channel.isConnackWritten = true;
    }

    @Override
    public void onBytes(ByteBuf in) {
        simulation.require(!isClosed, "%s: bytes after the end", channel);
        simulation.require(isReading, "%s: bytes though it is not read", channel);
        byte[] some = new byte[in.readableBytes()];
        in.readBytes(some);
        simulation.require(channel.toLeader.arrive(some), "%s: wrong bytes to leader", channel);
        channel.toLeader.taken += some.length;
        if (random.nextInt(20) == 0) {
            pause();
        }
    }

    /** The leader's side of its channel; null when it has ended. */
    @Nullable ChannelEnd end() {
        RemoteWire remote = (RemoteWire) wire;
        boolean isOpen = remote.edge.channels.get(remote.number()) == remote;
        return isOpen ? remote.channel() : null;
    }

    private void pause() {
        isReading = false;
        wire.read(false);
        simulation.met(Met.READING_PAUSED);
        simulation.in(channel.leader, channel.id, random.nextInt(400_000), this::goOn);
    }

    void goOn() {
        if (!isReading && !isClosed) {
            isReading = true;
            wire.read(true);
        }
    }

    @Override
    public void onWritable() {
        simulation.require(wire.isWritable(), "%s: not writable", channel);
        write();
    }

    /** Writes while the wire takes it, and sometimes an answer in any case. */
    void write() {
        if (isClosed || channel.leaderEnded || simulation.isCalm()) {
            return;
        }
        if (random.nextInt(4) == 0) {
            writePacket(new byte[] {0x40, 2, 0, 7});
        }
        boolean isLarge = random.nextInt(10) == 0; // Longer than a message: it is cut.
        int most = isLarge ? 80_000 : 1 << random.nextInt(4, 14);
        for (int left = random.nextInt(isLarge ? 2 : 8); left > 0 && wire.isWritable(); left--) {
            int body = random.nextInt(most);
            byte[] packet = new byte[1 + lengthBytes(body) + body];
            random.nextBytes(packet);
            packet[0] = 0x30;
            writeLength(packet, body);
            writePacket(packet);
        }
        wire.flush();
    }

    private static int lengthBytes(int length) {
        return length < 1 << 7 ? 1 : length < 1 << 14 ? 2 : 3;
    }

    private static void writeLength(byte[] packet, int length) {
        int at = 1;
        int rest = length;
        while (rest > 0x7F) {
            packet[at++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        packet[at] = (byte) rest;
    }

    /** Writes a packet in one or two pieces, as bytes of its own or of an array. */
    private void writePacket(byte[] packet) {
        if (!wire.isWritable()) {
            channel.toClient.forced += packet.length;
        }
        channel.toClient.add(packet);
        channel.packetEnds.set(channel.toClient.sent);
        int cut = random.nextInt(packet.length + 1);
        ByteBuf head = wire.allocate(Math.max(1, cut));
        head.writeBytes(packet, 0, cut);
        wire.write(head);
        buffers.add(head);
        if (cut < packet.length) {
            wire.write(packet, cut, packet.length - cut);
        }
    }

    void close() {
        if (!isClosed && !channel.leaderEnded) {
            channel.leaderEnded = true;
            simulation.met(Met.LEADER_CLOSED);
            wire.close();
            simulation.require(!isClosed, "%s: told of the end within its own close", channel);
        }
    }

    @Override
    public void onOverdrawn() {
        simulation.met(Met.OVERDRAWN);
    }

    @Override
    public void onClosed() {
        simulation.require(!isClosed, "%s: ended twice", channel);
        isClosed = true;
        channel.connectionClosed++;
        for (ByteBuf each : buffers) {
            simulation.require(each.refCnt() == 0, "%s: a buffer was not released", channel);
        }
        if (!channel.isCut && !channel.leaderEnded) {
            simulation.require(
                    channel.toLeader.isComplete(), "%s: ended before its bytes came", channel);
            simulation.met(Met.COMPLETE);
        }
    }
}
