package io.godwit.core.connection;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.shard.Shard;
import io.godwit.core.shard.TurnEnd;
import io.godwit.core.time.Timer;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that a connection has encoded in a turn: they stand in one buffer, which grows with
 * what is sent, and are flushed once at the turn's end.
 *
 * <p>This object is the connection's {@link Timer}, too: an idle connection is one object with its
 * state.
 */
abstract class TurnBuffer extends Timer implements TurnEnd {
    private static final int BUFFER_FIRST = 512;
    private static final int BUFFER_NEXT = 16 * 1024;
    private static final int BUFFER_LAST = 64 * 1024;

    final Shard shard;
    final Wire wire;
    ProtocolVersion version = ProtocolVersion.MQTT_3_1_1;
    private @Nullable ByteBuf buffer;
    private boolean endsTurn;
    private boolean flushing;

    TurnBuffer(Shard shard, Wire wire) {
        this.shard = shard;
        this.wire = wire;
    }

    /** Gives a buffer with room for this many bytes, to which they are written at once. */
    final ByteBuf room(int bytes) {
        ByteBuf out = buffer;
        if (out != null) {
            if (out.writableBytes() >= bytes) {
                return out;
            }
            int next = out.capacity() < BUFFER_NEXT ? BUFFER_NEXT : BUFFER_LAST;
            handOver();
            out = wire.allocate(Math.max(next, bytes));
        } else {
            out = wire.allocate(Math.max(BUFFER_FIRST, bytes));
        }
        buffer = out;
        wantFlush();
        return out;
    }

    /** Writes what stands in the buffer, before something that does not. */
    final void handOver() {
        ByteBuf out = buffer;
        if (out != null) {
            buffer = null;
            write(out);
        }
    }

    /** Writes bytes behind all that was handed over, and takes one reference of them. */
    final void write(ByteBuf out) {
        shard.counters().add(Metric.BYTES_SENT, version, out.readableBytes());
        wire.write(out);
        wantFlush();
    }

    private void wantFlush() {
        if (!endsTurn) {
            endsTurn = true;
            shard.atTurnEnd(this);
        }
    }

    @Override
    public final void onTurnEnd() {
        endsTurn = false;
        handOver();
        flushing = true;
        wire.flush();
        flushing = false;
    }

    /** Whether the turn's flush is under way, in which the wire may get writable again. */
    final boolean isFlushing() {
        return flushing;
    }
}
