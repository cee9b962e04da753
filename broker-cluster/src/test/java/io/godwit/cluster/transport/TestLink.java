package io.godwit.cluster.transport;

import io.godwit.cluster.membership.MembershipSettings;
import io.godwit.core.operation.ByteWriter;

/** A link that tests make: it is up, has room, and holds nothing. */
public abstract class TestLink implements PeerLink {
    /** What leaves for the peer. */
    protected final byte[] bytes(Outgoing message) {
        ByteWriter to = new ByteWriter(64);
        message.write(to, protocol());
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
    public int protocol() {
        return MembershipSettings.PROTOCOL;
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
    public long localMs(long peerMs) {
        return peerMs;
    }

    @Override
    public void broken() {}
}
