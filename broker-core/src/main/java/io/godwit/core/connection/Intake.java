package io.godwit.core.connection;

import io.godwit.core.codec.InboundState;
import io.godwit.core.codec.NoMemoryForPacket;
import io.godwit.core.codec.PacketSink;
import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ReasonCode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * The incoming half of a connection: bytes are decoded where they are; what has not arrived whole,
 * and what comes while the decoding is paused, is held; and above its bounds the socket is not
 * read. What the packets mean is the subclass's.
 */
abstract class Intake extends Outbound implements PacketSink, WireListener {
    /** Bytes that may wait behind a pause before reading from the socket stops: about one read. */
    private static final int HELD_BYTES_MAX = 64 * 1024;

    final InboundState inbound;
    private @Nullable HeldBytes held;
    private long lastReadMs;
    private boolean readingStopped;

    /** Whether the socket is gone; what was read before is still to be decoded. */
    private boolean socketGone;

    private long goneAtMs;

    private boolean decoding;

    /** Discards this client's PUBLISHes, since it is gone; null while it is there. */
    private @Nullable PublishSkipper skipper;

    Intake(ConnectionContext context, Wire wire) {
        super(context, wire);
        inbound =
                new InboundState(
                        Math.min(
                                context.limits().packets().connectBytes(),
                                context.mqtt().maximumPacketSize()));
        lastReadMs = shard.nowMs();
    }

    // ---------------------------------------------------------------- the subclass's

    /** Called when all was decoded that came together, or as much of it as may be now. */
    abstract void onDecoded();

    /** Called when the peer broke the protocol. */
    abstract void onViolation(ProtocolViolation violation);

    /** Called when there is no memory for what the peer has sent. */
    abstract void onNoMemory();

    /** Ends the connection with a DISCONNECT (5.0) that says why. */
    abstract void close(ReasonCode reason, String text, boolean publishWill);

    /** Ends the connection without a word. */
    abstract void closeQuietly(boolean publishWill);

    abstract boolean isClosed();

    /** Whether the node is overloaded, and this client publishes. */
    abstract boolean isPublisherToWait();

    /**
     * Called when a SUBSCRIBE or UNSUBSCRIBE is too long to be decoded in this turn: until {@link
     * #resumeDecoding}, {@link #wantsMore} is false.
     */
    abstract void onFiltersLeft();

    /** Called when reading from the socket stops. */
    abstract void onReadingStopped();

    // ---------------------------------------------------------------- bytes in

    @Override
    public final void onBytes(ByteBuf in) {
        shard.enter();
        if (isClosed()) {
            return;
        }
        lastReadMs = shard.nowMs();
        shard.counters().add(Metric.BYTES_RECEIVED, inbound.version, in.readableBytes());
        try {
            take(in);
        } catch (NoMemoryForPacket e) {
            onNoMemory();
        }
        checkReading();
    }

    private void take(ByteBuf in) {
        HeldBytes waiting = held;
        if (waiting != null) {
            if (!wantsMore() || waitsAtPublish()) {
                waiting.append(in);
                return;
            }
            if (skipper != null) {
                waiting.append(in);
                decodeHeld(waiting);
                return;
            }
            if (!feedHeld(waiting, in)) {
                return;
            }
        }
        decodeOrSkip(in);
        keepRest(in);
    }

    private void decodeOrSkip(ByteBuf in) {
        PublishSkipper skips = skipper;
        if (skips == null) {
            decode(in);
            return;
        }
        do {
            skips.discard(in);
            if (in.isReadable()) {
                decode(in);
            }
        } while (!isClosed() && wantsMore() && skips.begin(in));
    }

    /**
     * Completes the packet that had not arrived whole. @return whether {@code in} may be decoded
     * now
     */
    private boolean feedHeld(HeldBytes waiting, ByteBuf in) {
        try {
            if (!waiting.complete(in, context.decoder(), inbound)) {
                return false;
            }
        } catch (ProtocolViolation violation) {
            onViolation(violation);
            return false;
        }
        decodeHeld(waiting);
        if (held != null) {
            if (!isClosed()) {
                held.append(in);
            }
            return false;
        }
        return !isClosed();
    }

    private void decodeHeld(HeldBytes waiting) {
        decodeOrSkip(waiting.bytes());
        if (isClosed()) {
            return; // Closing released them.
        }
        if (waiting.bytes().isReadable()) {
            if (!waiting.compact()) {
                refuseHeld();
            }
        } else {
            held = null;
            waiting.release();
        }
    }

    private void keepRest(ByteBuf in) {
        if (in.isReadable() && !isClosed()) {
            if (held == null) {
                held = HeldBytes.of(in, this);
                if (held == null) {
                    refuseHeld();
                }
            } else {
                held.append(in);
            }
        }
    }

    private void refuseHeld() {
        shard.counters().increment(Metric.REFUSED_PARTIAL_BYTES);
        close(ReasonCode.QUOTA_EXCEEDED, "node's bound for partial packets", true);
    }

    private void decode(ByteBuf in) {
        decoding = true;
        try {
            context.decoder().decode(in, inbound, this);
            onDecoded();
        } catch (ProtocolViolation violation) {
            onViolation(violation);
        } catch (NoMemoryForPacket e) {
            onNoMemory();
        } finally {
            decoding = false;
        }
        if (context.decoder().isWithin(inbound)) {
            onFiltersLeft();
        }
    }

    /** Goes on with the bytes that are held, now that what paused the decoding is over. */
    public final void resumeDecoding() {
        if (decoding || isClosed()) {
            return;
        }
        HeldBytes waiting = held;
        if (waiting != null && wantsMore()) {
            decodeHeld(waiting);
        }
        if (socketGone && waitsAtPublish()) {
            skipPublishes();
            return;
        }
        if (socketGone && (held == null || wantsMore())) {
            closeQuietly(true);
        }
        checkReading();
    }

    /**
     * Stops reading while the decoding is paused, while answers pile up that the client does not
     * read, or while the node is overloaded and this client publishes.
     */
    public final void checkReading() {
        if (isClosed()) {
            return;
        }
        boolean stop =
                isHoldingEnough()
                        || skipper == null
                                && (wire.pendingBytes() + waitingAnswerBytes()
                                                > context.load().answerBytesMax()
                                        || waitsAtPublish()
                                        || isPublisherToWait());
        if (stop != readingStopped) {
            readingStopped = stop;
            wire.read(!stop);
            if (!stop) {
                lastReadMs = shard.nowMs();
            } else {
                shard.counters().increment(Metric.READS_PAUSED, inbound.version);
                onReadingStopped();
            }
        }
    }

    @Override
    final void onLessReviewed() {
        if (readingStopped) {
            checkReading();
        }
    }

    private boolean isHoldingEnough() {
        return held != null && held.bytes().readableBytes() >= HELD_BYTES_MAX && !wantsMore();
    }

    // ---------------------------------------------------------------- a client that is gone

    /**
     * Whether what is held begins with a PUBLISH that must not be decoded yet. It is read whole:
     * behind half of it nobody sees that the peer has closed the connection.
     */
    final boolean waitsAtPublish() {
        HeldBytes waiting = held;
        return waiting != null
                && skipper == null
                && !wantsPublish()
                && waiting.isPublish(context.decoder(), inbound);
    }

    /** Whether this client's PUBLISHes are discarded, since it is gone. */
    final boolean isSkipping() {
        return skipper != null;
    }

    /** Reads what the client has left to its end, without its PUBLISHes. */
    final void skipPublishes() {
        skipper = new PublishSkipper(context.decoder(), inbound, shard.counters());
        resumeDecoding();
    }

    /**
     * Ends the connection during an alarm once its peer has closed it: what is not read by then
     * can't be acknowledged any more, and a socket that is not read would stay for hours.
     */
    public final void endIfPeerIsGone() {
        if (readingStopped
                && skipper == null
                && !isClosed()
                && context.load().isAlarm()
                && wire.isPeerGone()) {
            skipPublishes();
        }
    }

    // ---------------------------------------------------------------- what the subclass asks

    /** Monotonic milliseconds at which the last bytes came. */
    final long lastReadMs() {
        return lastReadMs;
    }

    final boolean isReadingStopped() {
        return readingStopped;
    }

    final boolean holdsBytes() {
        return held != null;
    }

    /** Bytes that were read and not decoded. */
    final long undecodedBytes() {
        return held == null ? 0 : held.bytes().readableBytes();
    }

    /** Ends the connection, whose socket is gone, once what is held was decoded. */
    final void socketGone() {
        socketGone = true;
        goneAtMs = shard.nowMs();
    }

    /** Monotonic milliseconds at which the socket was gone; now while it is there. */
    public final long goneAtMs() {
        return socketGone ? goneAtMs : shard.nowMs();
    }

    /**
     * Whether packets of this connection are being decoded: what is behind them is not held yet.
     */
    final boolean isDecoding() {
        return decoding;
    }

    /**
     * Takes what was read and not decoded, for another listener of the wire.
     *
     * @return may be empty; to be released by the caller
     */
    final ByteBuf takeUndecoded() {
        HeldBytes waiting = held;
        ByteBuf undecoded = waiting == null ? Unpooled.EMPTY_BUFFER : waiting.bytes().retain();
        releaseHeld();
        return undecoded;
    }

    /** Gives the held bytes back, since the connection is closed. */
    final void releaseHeld() {
        context.decoder().forget(inbound);
        if (held != null) {
            held.release();
            held = null;
        }
    }
}
