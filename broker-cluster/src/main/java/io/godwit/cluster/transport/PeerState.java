package io.godwit.cluster.transport;

import io.godwit.core.operation.ByteWriter;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What the links know of one endpoint: how far the hello has come, its link, and the thread that
 * sends to it. All but the sending is the links' thread's.
 */
final class PeerState {
    private static final byte[] NOTHING = new byte[0];

    final Endpoint endpoint;
    private final Transport transport;
    private final ByteWriter frame = new ByteWriter(Transport.FRAME_BYTES + 1024);
    private final AtomicReference<byte[]> hello = new AtomicReference<>(NOTHING);
    private final LinkThreads.Sending sending;
    private final LinkCounters counters;

    /** Read by the threads that send and receive. */
    private volatile @Nullable Link link;

    /** Who the endpoint is, once it has said hello and was accepted. */
    @Nullable NodeStart start;

    Handshake handshake;
    int protocol;

    /** What the transport says. */
    boolean isHinted = true;

    /** By either side, at the last hello. */
    boolean isRefused;

    long nextHelloMs;
    long saidHelloMs = -1;

    PeerState(
            Endpoint endpoint,
            Transport transport,
            LinkThreads threads,
            LinkCounters counters,
            Handshake handshake) {
        this.endpoint = endpoint;
        this.transport = transport;
        this.counters = counters;
        this.handshake = handshake;
        sending = threads.startSending(endpoint, this::send);
    }

    @Nullable Link link() {
        return link;
    }

    void link(@Nullable Link link) {
        this.link = link;
    }

    void wake() {
        sending.wake();
    }

    void stop() {
        sending.stop();
    }

    /** Sends a hello or a refusal; one that has not left yet is replaced. */
    void say(byte[] frame) {
        hello.set(frame);
        sending.wake();
    }

    /** On the sending thread. */
    private boolean send() {
        byte[] first = hello.getAndSet(NOTHING);
        if (first.length > 0) {
            send(first);
            return true;
        }
        Link open = link;
        if (open != null && open.pack(frame)) {
            send(frame.toBytes());
            return true;
        }
        return false;
    }

    private void send(byte[] bytes) {
        counters.increment(LinkMetric.FRAMES_SENT);
        counters.add(LinkMetric.BYTES_SENT, bytes.length);
        transport.send(endpoint, bytes, bytes.length);
    }
}
