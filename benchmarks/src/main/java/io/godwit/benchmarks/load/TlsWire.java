package io.godwit.benchmarks.load;

import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;

/** Encrypts packets. The loop's buffers are used by all; only half a record is kept here. */
final class TlsWire implements Wire {
    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);
    private static final byte[] NO_BYTES = {};

    private final SSLEngine engine;
    private final Wires wires;
    private final Wire below;
    private final Leftover leftover;
    private byte[] rest = NO_BYTES;
    private boolean open;

    TlsWire(SSLEngine engine, Wires wires, Wire below) {
        this.engine = engine;
        this.wires = wires;
        this.below = below;
        leftover = new Leftover(below);
    }

    @Override
    public void start() throws IOException {
        below.start();
        engine.beginHandshake();
        handshake();
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        ByteBuffer records = wires.received().clear().put(rest);
        if (below.read(records) < 0) return -1;
        records.flip();
        int before = into.position();
        boolean more = records.hasRemaining();
        while (more) {
            SSLEngineResult result = engine.unwrap(records, into);
            switch (result.getStatus()) {
                // After a task the engine goes on with what it has read already.
                case OK ->
                        more = handshake() || result.bytesConsumed() > 0 && records.hasRemaining();
                case BUFFER_UNDERFLOW -> more = false;
                case BUFFER_OVERFLOW -> throw new IOException("a TLS record is too large");
                case CLOSED -> {
                    return into.position() == before ? -1 : into.position() - before;
                }
            }
        }
        rest = records.hasRemaining() ? new byte[records.remaining()] : NO_BYTES;
        records.get(rest);
        return into.position() - before;
    }

    @Override
    public void write(ByteBuffer packets) throws IOException {
        while (packets.hasRemaining() && flush()) {
            ByteBuffer records = wires.sent().clear();
            while (packets.hasRemaining() && records.remaining() >= Wires.RECORD_BYTES_MAX) {
                wrap(packets, records);
            }
            leftover.write(records.flip());
        }
    }

    @Override
    public boolean flush() throws IOException {
        return leftover.flush();
    }

    @Override
    public boolean isBacklogged() {
        return !leftover.isEmpty() || below.isBacklogged();
    }

    @Override
    public void release() {
        ReferenceCountUtil.release(engine);
        below.release();
    }

    /**
     * Does what the engine wants before it goes on.
     *
     * @return whether that was a task
     */
    private boolean handshake() throws IOException {
        boolean hadTask = false;
        while (true) {
            HandshakeStatus status = engine.getHandshakeStatus();
            if (status == HandshakeStatus.NEED_TASK) {
                engine.getDelegatedTask().run();
                hadTask = true;
            } else if (status == HandshakeStatus.NEED_WRAP) {
                ByteBuffer records = wires.sent().clear();
                wrap(NOTHING, records);
                leftover.write(records.flip());
            } else {
                open |= status == HandshakeStatus.NOT_HANDSHAKING;
                return hadTask;
            }
        }
    }

    private void wrap(ByteBuffer packets, ByteBuffer records) throws IOException {
        SSLEngineResult.Status status = engine.wrap(packets, records).getStatus();
        if (status != SSLEngineResult.Status.OK) throw new IOException("TLS: " + status);
    }
}
