package io.godwit.cluster.transport;

import io.godwit.core.operation.ByteWriter;

/** A link that tests make: it is up, has room, and holds nothing. */
public abstract class TestLink implements PeerLink {
    private static final int PROTOCOL = 1;

    /** What leaves for the peer. */
    protected static byte[] bytes(Outgoing message) {
        ByteWriter to = new ByteWriter(64);
        message.write(to, PROTOCOL);
        return to.toBytes();
    }

    @Override
    public Endpoint endpoint() {
        return new Endpoint() {};
    }

    @Override
    public long number() {
        return 1;
    }

    @Override
    public LinkState state() {
        return LinkState.UP;
    }

    @Override
    public final int protocol() {
        return PROTOCOL;
    }

    @Override
    public boolean hasRoom(TrafficClass traffic) {
        return true;
    }

    @Override
    public long waitingBytes(TrafficClass traffic) {
        return 0;
    }

    @Override
    public long receivedBytes(TrafficClass traffic) {
        return 0;
    }

    @Override
    public void taken(TrafficClass traffic, int length) {}

    @Override
    public void broken() {}
}
