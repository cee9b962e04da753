package io.godwit.cluster.registration;

import io.godwit.cluster.transport.Endpoint;
import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.cluster.transport.Unconfirmed;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import java.util.ArrayList;
import java.util.List;

/** A link to another node, whose messages are kept. */
final class TestPeer implements PeerLink {
    private final NodeStart peer;
    private final long number;
    private final List<RegistrationMessage> received = new ArrayList<>();
    final List<Unconfirmed> offered = new ArrayList<>();
    boolean isOver;

    TestPeer(NodeStart peer, long number) {
        this.peer = peer;
        this.number = number;
    }

    /** Returns what has come since the last call. */
    List<RegistrationMessage> take() {
        List<RegistrationMessage> all = List.copyOf(received);
        received.clear();
        return all;
    }

    @Override
    public boolean offer(Outgoing message) {
        if (isOver) {
            return false;
        }
        offered.add(new Unconfirmed(number, offered.size() + 1, message));
        ByteWriter to = new ByteWriter(64);
        message.write(to, 1);
        ByteReader from = new ByteReader(to.toBytes());
        while (!from.isAtEnd()) {
            received.add(RegistrationCodec.read(from));
        }
        return true;
    }

    @Override
    public NodeStart peer() {
        return peer;
    }

    @Override
    public Endpoint endpoint() {
        throw new UnsupportedOperationException();
    }

    @Override
    public long number() {
        return number;
    }

    @Override
    public LinkState state() {
        return isOver ? LinkState.DOWN : LinkState.UP;
    }

    @Override
    public int protocol() {
        return 1;
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
