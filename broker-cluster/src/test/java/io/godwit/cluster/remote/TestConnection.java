package io.godwit.cluster.remote;

import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.connection.Wire;
import io.godwit.core.connection.WireListener;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;

/** A connection at a leader. */
final class TestConnection implements WireListener {
    static final byte[] CONNACK = {0x20, 2, 0, 0};

    final AuthenticatedConnect connect;
    final RemoteWire wire;
    final SimShard shard;
    final ByteArrayOutputStream got = new ByteArrayOutputStream();
    boolean fails;
    int closed;
    int overdrawn;
    int writable;

    TestConnection(AuthenticatedConnect connect, Wire wire, SimShard shard) {
        this.connect = connect;
        this.wire = (RemoteWire) wire;
        this.shard = shard;
    }

    /** Writes bytes in a buffer, in a turn of its own. */
    void write(byte[] some) {
        shard.turn(() -> {
            wire.write(wire.allocate(some.length).writeBytes(some));
            wire.flush();
        });
    }

    /** A PUBLISH of so many bytes in all. */
    static byte[] publish(int bytes) {
        byte[] packet = new byte[bytes];
        packet[0] = 0x30;
        int rest = bytes - 4;
        packet[1] = (byte) (rest & 0x7F | 0x80);
        packet[2] = (byte) (rest >>> 7 & 0x7F | 0x80);
        packet[3] = (byte) (rest >>> 14);
        return packet;
    }

    @Override
    public void onBytes(ByteBuf in) {
        if (fails) {
            throw new IllegalStateException("a fault for a test");
        }
        byte[] some = new byte[in.readableBytes()];
        in.readBytes(some);
        got.writeBytes(some);
    }

    @Override
    public void onWritable() {
        writable++;
    }

    @Override
    public void onOverdrawn() {
        overdrawn++;
    }

    @Override
    public void onClosed() {
        closed++;
    }
}
