package io.godwit.cluster.remote;

import io.godwit.core.auth.PeerTls;
import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.connection.Wire;
import io.godwit.core.connection.WireListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The leader's side of a channel: the wire of a connection whose client is at another node.
 *
 * <p>While the connection does not read, what comes is held here: at most a window and what the
 * edge has read at once. The bytes before the client's end are handed over before it.
 */
final class RemoteWire implements Wire {
    private enum State {
        OPEN,
        /** The edge has closed; bytes before that may be held. */
        PEER_GONE,
        /** Closed here; the listener is told in the next turn. */
        CLOSED,
        /** The listener was told. */
        OVER
    }

    final Peer<RemoteWire> edge;
    final int slot;
    private final RemoteConnections connections;
    private final ChannelEnd end;
    private final String address;
    private final boolean isLoopback;
    private final String listenerName;
    private final PeerTls tls;
    private State state = State.OPEN;
    private @Nullable WireListener listener;
    private @Nullable ByteBuf held;
    private int charged;
    private boolean isReading = true;
    private boolean isFull;

    /** Whether a later turn looks at it. */
    boolean isDue;

    RemoteWire(
            RemoteConnections connections,
            Peer<RemoteWire> edge,
            int slot,
            ChannelEnd end,
            AuthenticatedConnect connect) {
        this.connections = connections;
        this.edge = edge;
        this.slot = slot;
        this.end = end;
        address = connect.peer().remoteAddress();
        isLoopback = connect.peer().loopback();
        listenerName = connect.peer().listener();
        tls = connect.peer().tls();
    }

    long number() {
        return end.number;
    }

    ChannelEnd channel() {
        return end;
    }

    @Override
    public void replaceListener(WireListener accepted) {
        listener = accepted;
    }

    // ---------------------------------------------------------------- what the connection writes

    @Override
    public ByteBuf allocate(int bytes) {
        return connections.buffers().allocate(bytes);
    }

    @Override
    public void write(ByteBuf bytes) {
        try {
            if (state == State.OPEN) {
                end.send(bytes);
                isFull = !end.out.isBelow();
            }
        } finally {
            bytes.release();
        }
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
        if (state == State.OPEN) {
            end.send(bytes, from, length);
            isFull = !end.out.isBelow();
            connections.sent(edge, bytes, length);
        }
    }

    /** Does nothing: what was written leaves at the end of the turn, with that of others. */
    @Override
    public void flush() {}

    @Override
    public boolean isWritable() {
        return state == State.OPEN && end.out.isBelow();
    }

    @Override
    public long pendingBytes() {
        return state == State.OPEN ? end.out.pending() : 0;
    }

    @Override
    public void close() {
        if (state == State.OPEN) {
            end.close(CloseReason.ENDED);
            release();
        }
        if (state != State.OVER) {
            state = State.CLOSED;
            releaseHeld();
            connections.later(this);
        }
    }

    // ---------------------------------------------------------------- what the client sends

    @Override
    public void read(boolean wanted) {
        if (isReading == wanted) {
            return;
        }
        isReading = wanted;
        if (wanted && held != null) {
            connections.later(this);
        } else if (wanted && state == State.OPEN) {
            end.tellIfDue();
        }
    }

    /**
     * Bytes of the client have come.
     *
     * @param in borrowed
     * @return false when they were dropped
     */
    boolean onData(ByteBuf in) {
        if (state != State.OPEN) {
            return false;
        }
        end.in.received(in.readableBytes());
        if (isReading && held == null) {
            handOver(in);
        } else {
            hold(in);
        }
        return true;
    }

    /** The edge waits for credit. */
    void onUsedUp() {
        end.in.usedUp();
        if (isReading) {
            end.tellIfDue();
        }
    }

    private void handOver(ByteBuf in) {
        WireListener to = listener;
        int length = in.readableBytes();
        if (to != null) {
            try {
                to.onBytes(in);
            } catch (RuntimeException fault) {
                onFault(fault);
            }
        }
        if (state == State.OPEN) {
            end.in.take(length);
            if (isReading) {
                end.tellIfDue();
            }
        }
    }

    private void tell(Consumer<WireListener> what) {
        WireListener to = listener;
        if (to != null) {
            try {
                what.accept(to);
            } catch (RuntimeException fault) {
                onFault(fault);
            }
        }
    }

    private void onFault(RuntimeException fault) {
        connections.onFault(this, fault);
        close();
    }

    private void hold(ByteBuf in) {
        ByteBuf to = held;
        if (to == null) {
            to = Unpooled.buffer(in.readableBytes());
            held = to;
        }
        to.writeBytes(in);
        charge(to.capacity());
    }

    private void charge(int bytes) {
        connections.account().held((long) bytes - charged);
        charged = bytes;
    }

    private void releaseHeld() {
        ByteBuf bytes = held;
        if (bytes != null) {
            held = null;
            charge(0);
            bytes.release();
        }
    }

    // ---------------------------------------------------------------- what the edge says

    void onWindow(long taken, long granted) {
        end.onWindow(taken, granted);
        if (isFull && end.out.isBelow()) {
            isFull = false;
            tell(WireListener::onWritable);
        }
    }

    /** The client's socket has ended, or nobody can tell. */
    void onClose(CloseReason reason) {
        if (state != State.OPEN) {
            return;
        }
        release();
        state = State.PEER_GONE;
        if (reason == CloseReason.OVERDRAWN) {
            tell(WireListener::onOverdrawn);
        }
        if (held == null) {
            over();
        }
    }

    /** Ends the connection, since this node does not lead its slot any more. */
    void endWithoutSlot() {
        if (state == State.OPEN) {
            end.close(CloseReason.LEADER_LOST);
            release();
        }
        over();
    }

    private void release() {
        edge.channels.remove(end.number);
        end.release();
        connections.ended();
    }

    private void over() {
        if (state != State.OVER) {
            state = State.OVER;
            releaseHeld();
            tell(WireListener::onClosed);
        }
    }

    /** Does in a turn of its own what the connection is not to hear within its own call. */
    void later() {
        ByteBuf bytes = held;
        if (bytes != null && isReading && state != State.CLOSED) {
            held = null;
            charge(0);
            try {
                handOver(bytes);
            } finally {
                bytes.release();
            }
        }
        if (state == State.CLOSED || state == State.PEER_GONE && held == null) {
            over();
        }
    }

    // ---------------------------------------------------------------- the client

    @Override
    public boolean isPeerGone() {
        return state == State.PEER_GONE;
    }

    @Override
    public String remoteAddress() {
        return address;
    }

    @Override
    public boolean isLoopback() {
        return isLoopback;
    }

    @Override
    public String listener() {
        return listenerName;
    }

    @Override
    public PeerTls tls() {
        return tls;
    }

    @Override
    public int edge() {
        return edge.start.server();
    }
}
