package io.godwit.cluster.remote;

import io.godwit.core.connection.Placement;
import io.godwit.core.connection.Wire;
import io.godwit.core.connection.WireListener;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.shard.TurnEnd;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The edge's side of a channel: passes bytes between a client's socket and the leader.
 *
 * <pre>
 * OPENING  OPENED / NOT_LEADER, CLOSE, lost, withdrawn          OPEN / ENDED
 * OPEN     the socket ends, CLOSE, the leader is lost           ENDED
 * </pre>
 */
final class RemotePipe implements WireListener, Placement.Pipe, Placement.Question, TurnEnd {
    private enum State {
        OPENING,
        OPEN,
        ENDED
    }

    private static final byte[] DISCONNECT_SERVER_ENDS = {(byte) 0xE0, 1, (byte) 0x8B};

    final Peer<RemotePipe> leader;
    final long number;
    final int slot;
    private final RemoteChannels channels;
    private final long packetBytesMax;
    private State state = State.OPENING;
    private @Nullable Opening opening;
    private @Nullable ChannelEnd end;
    private @Nullable Wire wire;
    private final PacketBoundary written = new PacketBoundary();
    private boolean isReading = true;
    private boolean flushes;

    /** Whether it stands in the list of those whose socket has not taken everything. */
    boolean isSlow;

    /**
     * @param packetBytesMax bytes of the largest packet that the client takes; 0 when it knows no
     *     DISCONNECT of a server
     */
    RemotePipe(
            RemoteChannels channels,
            Peer<RemotePipe> leader,
            long number,
            int slot,
            long packetBytesMax,
            Opening opening) {
        this.channels = channels;
        this.leader = leader;
        this.number = number;
        this.slot = slot;
        this.packetBytesMax = packetBytesMax;
        this.opening = opening;
    }

    /** Whether it is to end: it was opened, and has not ended. */
    boolean isOpen() {
        return state == State.OPEN;
    }

    // ---------------------------------------------------------------- until it is open

    /** The leader runs the connection. */
    void onOpened() {
        Opening asking = opening;
        if (state != State.OPENING || asking == null) {
            return;
        }
        state = State.OPEN;
        opening = null;
        end = channels.end(this);
        asking.opened(this);
        if (wire == null) {
            closeChannel(CloseReason.ENDED); // The client has gone in this moment.
        }
    }

    void onNotLeader(byte[] row) {
        Opening asking = opening;
        ended();
        if (asking != null) {
            asking.notLeader(row);
        }
    }

    @Override
    public void withdraw() {
        if (state == State.OPENING) {
            ByteWriter to =
                    leader.shards == 0
                            ? leader.post.toSlot(slot)
                            : leader.post.toShard(slot % leader.shards);
            to.u8(Records.CLOSE).varint(number).u8(CloseReason.ENDED.ordinal());
            if (leader.shards == 0) {
                leader.post.seal(to);
            }
            ended();
        }
    }

    // ---------------------------------------------------------------- the client's socket

    @Override
    public WireListener open(Wire client) {
        wire = client;
        if (state == State.OPEN) {
            isReading = !leader.post.isStill();
            client.read(isReading);
        } else {
            client.close();
        }
        return this;
    }

    @Override
    public void onBytes(ByteBuf in) {
        channels.clock().enter();
        ChannelEnd channel = end;
        if (channel != null && in.isReadable()) {
            channel.send(in);
            checkReading();
        }
    }

    /** Reads the socket while more may be begun and the link takes it. */
    void checkReading() {
        ChannelEnd channel = end;
        Wire client = wire;
        if (channel == null || client == null) {
            return;
        }
        boolean wanted = channel.out.isBelow() && !leader.post.isStill();
        if (wanted != isReading) {
            isReading = wanted;
            client.read(wanted);
        }
    }

    @Override
    public void onWritable() {
        channels.clock().enter();
        settle();
    }

    @Override
    public void onOverdrawn() {
        channels.clock().enter();
        closeChannel(CloseReason.OVERDRAWN);
    }

    @Override
    public void onClosed() {
        channels.clock().enter();
        closeChannel(CloseReason.ENDED);
        wire = null;
    }

    private void closeChannel(CloseReason reason) {
        ChannelEnd channel = end;
        if (channel != null) {
            channel.close(reason);
            ended();
        }
    }

    /** Gives back what the socket has taken. @return whether that is everything */
    boolean settle() {
        ChannelEnd channel = end;
        Wire client = wire;
        if (channel == null || client == null) {
            return true;
        }
        long pending = client.pendingBytes();
        long held = channel.in.held();
        if (pending < held) {
            channel.in.take(held - pending);
        }
        channel.tellIfDue();
        return pending == 0;
    }

    // ---------------------------------------------------------------- what the leader says

    /**
     * Bytes for the client have come.
     *
     * @return false when they were dropped
     */
    boolean onData(byte[] bytes, int from, int length) {
        ChannelEnd channel = end;
        Wire client = wire;
        if (channel == null || client == null) {
            return false;
        }
        channel.in.received(length);
        written.follow(bytes, from, length);
        client.write(client.allocate(length).writeBytes(bytes, from, length));
        askForTurnEnd();
        return true;
    }

    /** The leader waits for credit. */
    void onUsedUp() {
        ChannelEnd channel = end;
        if (channel != null) {
            channel.in.usedUp();
            askForTurnEnd();
        }
    }

    private void askForTurnEnd() {
        if (!flushes) {
            flushes = true;
            channels.turns().atTurnEnd(this);
        }
    }

    @Override
    public void onTurnEnd() {
        flushes = false;
        Wire client = wire;
        if (client == null) {
            return;
        }
        client.flush();
        if (!settle()) {
            channels.slow(this);
        }
    }

    @Nullable ChannelEnd channel() {
        return end;
    }

    void onWindow(long taken, long granted) {
        ChannelEnd channel = end;
        if (channel != null) {
            channel.onWindow(taken, granted);
            checkReading();
        }
    }

    /** The leader has closed the channel. */
    void onClose(CloseReason reason) {
        Opening asking = opening;
        if (asking != null) {
            ended();
            if (reason == CloseReason.ENDED) {
                asking.closed();
            } else {
                asking.lost();
            }
        } else if (reason == CloseReason.ENDED || reason == CloseReason.OVERDRAWN) {
            ended();
            closeSocket();
        } else {
            ended();
            channels.endSoon(this);
        }
    }

    /** The leader's start has ended, or is out of reach for too long. */
    void onLost() {
        Opening asking = opening;
        boolean wasOpen = isOpen();
        ended();
        if (asking != null) {
            asking.lost();
        } else if (wasOpen) {
            channels.endSoon(this);
        }
    }

    /**
     * Ends the channel at once, since another node leads the slot by now; the client's connection
     * follows. Until the former leader has answered it may still say so itself.
     *
     * @param isTakenOver whether the slot was taken over: the former leader may never answer
     */
    void onOtherLeader(boolean isTakenOver) {
        Opening asking = opening;
        if (asking == null) {
            closeChannel(CloseReason.ENDED);
            channels.endSoon(this);
        } else if (isTakenOver) {
            withdraw();
            asking.lost();
        }
    }

    /** Ends the client's connection, since its leader is gone. */
    void endWithoutLeader() {
        endSocket(DISCONNECT_SERVER_ENDS);
    }

    /** Ends the client's connection, since this node stops; the leader hears that it is gone. */
    void endHere(byte[] disconnect) {
        if (isOpen()) {
            closeChannel(CloseReason.ENDED);
            endSocket(disconnect);
        }
    }

    private void endSocket(byte[] disconnect) {
        Wire client = wire;
        if (client == null) {
            return;
        }
        if (disconnect.length <= packetBytesMax && written.mayDisconnect()) {
            client.write(client.allocate(disconnect.length).writeBytes(disconnect));
        }
        client.close();
    }

    private void closeSocket() {
        Wire client = wire;
        if (client != null) {
            client.close();
        }
    }

    private void ended() {
        if (state == State.ENDED) {
            return;
        }
        state = State.ENDED;
        opening = null;
        leader.channels.remove(number);
        ChannelEnd channel = end;
        if (channel != null) {
            end = null;
            channel.release();
            channels.ended();
        }
    }
}
