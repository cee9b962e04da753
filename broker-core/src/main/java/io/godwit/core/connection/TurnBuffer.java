package io.godwit.core.connection;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.shard.GatheredFlush;
import io.godwit.core.shard.Shard;
import io.godwit.core.shard.TurnEnd;
import io.godwit.core.time.Timer;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that a connection has encoded in a turn: they stand in one buffer, which grows with
 * what is sent, and are flushed once at the turn's end; those of a large fan-out may gather for
 * some milliseconds more.
 *
 * <p>This object is the connection's {@link Timer}, too: an idle connection is one object with its
 * state.
 */
abstract class TurnBuffer extends Timer implements TurnEnd, GatheredFlush {
    private static final int BUFFER_FIRST = 512;
    private static final int BUFFER_GATHERED = 4 * 1024;

    /** Larger ones are not pooled by Netty where the heap is small: each is mapped and cleared. */
    private static final int BUFFER_NEXT = 16 * 1024;

    final Shard shard;
    final Wire wire;
    ProtocolVersion version = ProtocolVersion.MQTT_3_1_1;
    private @Nullable ByteBuf buffer;

    /** Whether its flush waits for the end of this turn. */
    private boolean endsTurn;

    /** Whether its flush waits for what else a fan-out brings. */
    private boolean gathers;

    private boolean flushing;

    /** Whether what is written now is an acknowledgement. */
    private boolean answers;

    TurnBuffer(Shard shard, Wire wire) {
        this.shard = shard;
        this.wire = wire;
    }

    /** Gives a buffer with room for this many bytes, to which they are written at once. */
    final ByteBuf room(int bytes) {
        ByteBuf out = buffer;
        if (out == null || out.writableBytes() < bytes) {
            return newBuffer(out, bytes);
        }
        if (gathers && !shard.isGathering()) {
            flushThisTurn();
        }
        return out;
    }

    /** As {@link #room}, for an acknowledgement. */
    final ByteBuf roomForAnswer(int bytes) {
        answers = true;
        ByteBuf out = room(bytes);
        answers = false;
        return out;
    }

    /**
     * Gives room for bytes that {@link #write(byte[], int, int)} follows: as many as they need,
     * since nothing else comes into the same buffer.
     */
    final ByteBuf roomForHead(int bytes) {
        ByteBuf out = buffer;
        if (out != null && out.writableBytes() >= bytes) {
            return room(bytes);
        }
        handOver();
        if (gathers) {
            flushThisTurn(); // What follows is worth a flush of its own.
        }
        ByteBuf head = wire.allocate(bytes);
        if (shard.isGathering()) {
            shard.gathered(head.capacity());
        }
        buffer = head;
        wantFlush();
        return head;
    }

    private ByteBuf newBuffer(@Nullable ByteBuf full, int bytes) {
        int size = BUFFER_FIRST;
        if (full != null) {
            handOver();
            if (!shard.isGathering()) {
                size = BUFFER_NEXT;
            } else {
                // A flush costs as much as many messages: a channel of a flood has room for what
                // comes until all are flushed.
                size = Math.clamp(2L * full.capacity(), BUFFER_GATHERED, BUFFER_NEXT);
                if (full.capacity() >= BUFFER_NEXT) {
                    flushThisTurn();
                }
            }
        }
        ByteBuf out = wire.allocate(Math.max(size, bytes));
        if (shard.isGathering()) {
            shard.gathered(out.capacity());
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

    private void write(ByteBuf out) {
        shard.counters().add(Metric.BYTES_SENT, version, out.readableBytes());
        wire.write(out);
        wantFlush();
    }

    /**
     * Writes bytes of an array that nobody changes, behind all that was encoded; connections to
     * which the same ones are written share a copy of them.
     */
    final void write(byte[] bytes, int from, int length) {
        handOver();
        shard.counters().add(Metric.BYTES_SENT, version, length);
        wire.write(bytes, from, length);
        shard.wrote(length);
        wantFlush();
    }

    private void wantFlush() {
        if (!shard.isGathering()) {
            flushThisTurn();
        } else if (!gathers && !endsTurn) {
            gathers = true;
            shard.flushGathered(this);
        }
    }

    private void flushThisTurn() {
        if (!endsTurn) {
            endsTurn = true;
            if (answers) {
                shard.answerAtTurnEnd(this);
            } else {
                shard.atTurnEnd(this);
            }
        }
    }

    @Override
    public final void onGathered() {
        if (gathers) {
            onTurnEnd();
        }
    }

    @Override
    public final void onTurnEnd() {
        handOver();
        endsTurn = false;
        gathers = false;
        flushing = true;
        wire.flush();
        flushing = false;
    }

    /** Whether the turn's flush is under way, in which the wire may get writable again. */
    final boolean isFlushing() {
        return flushing;
    }
}
