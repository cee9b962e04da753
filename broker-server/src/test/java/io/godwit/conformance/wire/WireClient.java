package io.godwit.conformance.wire;

import static io.godwit.conformance.wire.Bytes.hex;
import static io.godwit.conformance.wire.Bytes.packet;
import static io.godwit.conformance.wire.Bytes.u16;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client that sends exactly the bytes it is given and shows what comes back, packet by packet.
 * Each expectation takes the next packet; one that is not as expected, or doesn't come within the
 * patience, fails the test.
 */
public final class WireClient implements AutoCloseable {
    /**
     * Takes a connection that ends without a word for a refusal with the right reason: the standard
     * allows that, the broker that this suite belongs to doesn't do it. For a look at others.
     */
    private static final boolean LENIENT = Boolean.getBoolean("conformance.lenient");

    private final Transport transport;
    private final boolean v5;
    private final Duration patience;
    private final Deque<Frame> held = new ArrayDeque<>();
    private int packetIds;

    public WireClient(Transport transport, boolean v5, Duration patience) {
        this.transport = transport;
        this.v5 = v5;
        this.patience = patience;
    }

    public WireClient send(Sendable packet) {
        return send(packet.bytes());
    }

    public WireClient send(String hexBytes) {
        return send(hex(hexBytes));
    }

    /** All in one write. */
    public WireClient send(byte[]... packets) {
        try {
            transport.send(Bytes.concat(packets));
        } catch (IOException e) {
            // The peer has gone; the next expectation tells what it said before.
        }
        return this;
    }

    /** The next packet. */
    public Frame next() {
        return next(patience);
    }

    public Frame next(Duration within) {
        return must(read(within));
    }

    private static Frame must(@Nullable Frame frame) {
        if (frame == null) {
            throw new AssertionError("the connection was closed, a packet was expected");
        }
        return frame;
    }

    public Frame.ConnAck connAck() {
        return next().connAck();
    }

    /** CONNACK with 0x00. */
    public Frame.ConnAck accepted() {
        var connAck = connAck();
        if (connAck.reason() != 0) {
            throw new AssertionError("CONNECT was refused with 0x%02x".formatted(connAck.reason()));
        }
        return connAck;
    }

    /** CONNACK with this code and Session Present 0, then the end of the connection. */
    public void refused(int reason) {
        Frame frame = read(patience);
        if (frame == null && LENIENT) {
            return;
        }
        var connAck = must(frame).connAck();
        expect(reason, connAck.reason(), "CONNACK");
        expect(0, connAck.flags(), "Session Present of a refusal");
        closed();
    }

    /** Closed at once, or after a CONNACK with this code. */
    public void refusedOrClosed(int reason) {
        Frame frame = read(patience);
        if (frame != null) {
            expect(reason, frame.connAck().reason(), "CONNACK");
            closed();
        }
    }

    /**
     * Closed at once, or after a CONNACK that refuses: 0x84 in the form of 5.0, or 0x01 in that of
     * 3.1.1, as a server that doesn't know the version may choose either.
     */
    public void versionRefused() {
        Frame frame = read(patience);
        if (frame != null) {
            boolean old = frame.firstByte() == 0x20 && frame.body().length == 2;
            int reason = old ? frame.body()[1] : frame.connAck().reason();
            expect(old ? 0x01 : 0x84, reason, "CONNACK");
            closed();
        }
    }

    /** DISCONNECT with one of these codes, then the end of the connection (5.0). */
    public Frame.Reason disconnected(int... reasons) {
        return disconnected(patience, reasons);
    }

    public Frame.Reason disconnected(Duration within, int... reasons) {
        Frame frame = read(within);
        if (frame == null && LENIENT) {
            return new Frame.Reason(reasons[0], PropertyList.NONE);
        }
        var disconnect = must(frame).disconnect();
        if (Arrays.stream(reasons).noneMatch(r -> r == disconnect.reason())) {
            throw new AssertionError("DISCONNECT 0x%02x".formatted(disconnect.reason()));
        }
        closed();
        return disconnect;
    }

    /**
     * A SUBSCRIBE with one filter that breaks the rules of 4.7 or 4.8: SUBACK with a code that
     * refuses, or the end of the connection (5.0: after DISCONNECT 0x81, 0x82 or 0x8F).
     */
    public void filterRefused() {
        Frame frame = read(patience);
        if (frame == null && (LENIENT || !v5)) {
            return;
        }
        if (must(frame).type() == 9) {
            var codes = must(frame).subAck().codes();
            if (codes.size() != 1 || codes.get(0) < 0x80) {
                throw new AssertionError("SUBACK with " + codes);
            }
            return;
        }
        int reason = must(frame).disconnect().reason();
        if (reason != 0x81 && reason != 0x82 && reason != 0x8F) {
            throw new AssertionError("DISCONNECT 0x%02x".formatted(reason));
        }
        closed();
    }

    /** The end of the connection, and no packet before it. */
    public void closed() {
        closed(patience);
    }

    /** The end of the connection, after a DISCONNECT (5.0) or not. */
    public void closedInAnyWay() {
        Frame frame = read(patience);
        if (frame != null) {
            if (v5) {
                frame.disconnect();
            } else {
                throw new AssertionError("expected the end of the connection, got " + frame);
            }
            closed();
        }
    }

    public void closed(Duration within) {
        Frame frame = read(within);
        if (frame != null) {
            throw new AssertionError("expected the end of the connection, got " + frame);
        }
    }

    /** The connection is alive and nothing else was on its way: PINGRESP is the next packet. */
    public void quiet() {
        send("c0 00");
        pong();
    }

    /** The next packet is PINGRESP. */
    public void pong() {
        Frame frame = next();
        if (frame.firstByte() != 0xD0 || frame.body().length != 0) {
            throw new AssertionError("expected PINGRESP and nothing before it, got " + frame);
        }
    }

    public Frame.Publish publish() {
        return next().publish();
    }

    /** The next packet is a PUBLISH with this payload. */
    public Frame.Publish publish(String payload) {
        var publish = publish();
        if (!publish.text().equals(payload)) {
            throw new AssertionError("expected '" + payload + "', got '" + publish.text() + "'");
        }
        return publish;
    }

    /**
     * That many PUBLISH packets, in any order (4.6 promises one only per topic and QoS), by their
     * payloads.
     */
    public Publishes publishes(int count) {
        var byPayload = new LinkedHashMap<String, Frame.Publish>();
        for (int i = 0; i < count; i++) {
            var publish = publish();
            byPayload.put(publish.text(), publish);
        }
        if (byPayload.size() != count) {
            throw new AssertionError("twice the same among " + byPayload.keySet());
        }
        return new Publishes(byPayload);
    }

    public Frame.Ack pubAck(int packetId, int... reasons) {
        return ack(4, packetId, reasons);
    }

    /** PUBACK, or the end of the connection. */
    public void pubAckOrClosed(int packetId) {
        Frame frame = read(patience);
        if (frame != null) {
            expect(packetId, frame.ack(4).packetId(), "Packet Identifier");
        }
    }

    public Frame.Ack pubRec(int packetId, int... reasons) {
        return ack(5, packetId, reasons);
    }

    public Frame.Ack pubRel(int packetId, int... reasons) {
        return ack(6, packetId, reasons);
    }

    public Frame.Ack pubComp(int packetId, int... reasons) {
        return ack(7, packetId, reasons);
    }

    /** Sends PUBACK (4), PUBREC (5), PUBREL (6) or PUBCOMP (7) in its short form. */
    public WireClient sendAck(int type, int packetId) {
        return send(packet(type << 4 | (type == 6 ? 2 : 0), u16(packetId)));
    }

    /** Subscribes and expects the granted QoS to be that of the options. */
    public WireClient subscribe(String filter, int options, byte[]... properties) {
        int id = nextPacketId();
        byte[] entry = Bytes.concat(Bytes.utf8(filter), Bytes.u8(options));
        send(
                v5
                        ? packet(0x82, u16(id), Bytes.props(properties), entry)
                        : packet(0x82, u16(id), entry));
        var subAck = afterPublishes().subAck();
        expect(id, subAck.packetId(), "Packet Identifier of SUBACK");
        if (!subAck.codes().equals(List.of(options & 3))) {
            throw new AssertionError("SUBACK with " + subAck.codes());
        }
        return this;
    }

    /** PUBLISH packets may overtake a SUBACK (3.8.4): they are kept for what is expected next. */
    private Frame afterPublishes() {
        var early = new ArrayDeque<Frame>();
        Frame frame = next();
        while (frame.type() == 3) {
            early.add(frame);
            frame = next();
        }
        held.addAll(early);
        return frame;
    }

    public WireClient unsubscribe(String filter) {
        int id = nextPacketId();
        send(
                v5
                        ? packet(0xA2, u16(id), Bytes.props(), Bytes.utf8(filter))
                        : packet(0xA2, u16(id), Bytes.utf8(filter)));
        var unsubAck = afterPublishes().unsubAck();
        expect(id, unsubAck.packetId(), "Packet Identifier of UNSUBACK");
        if (v5 && !unsubAck.codes().equals(List.of(0))) {
            throw new AssertionError("UNSUBACK with " + unsubAck.codes());
        }
        return this;
    }

    /** The next packet id, from 1000 on, apart from those that tests choose. */
    public int nextPacketId() {
        return 1000 + packetIds++;
    }

    /** DISCONNECT with 0x00, then waits until the broker has closed too. */
    public void disconnect() {
        send("e0 00");
        closed();
        close();
    }

    /** Cuts the connection without DISCONNECT. */
    @Override
    public void close() {
        transport.close();
    }

    private Frame.Ack ack(int type, int packetId, int... reasons) {
        var ack = next().ack(type);
        expect(packetId, ack.packetId(), "Packet Identifier");
        boolean any = reasons.length == 0 && ack.reason() < 0x80;
        if (!any && Arrays.stream(reasons).noneMatch(r -> r == ack.reason())) {
            throw new AssertionError("reason code 0x%02x".formatted(ack.reason()));
        }
        return ack;
    }

    private static void expect(int expected, int actual, String what) {
        if (expected != actual) {
            throw new AssertionError(
                    "%s: expected 0x%02x, got 0x%02x".formatted(what, expected, actual));
        }
    }

    private @Nullable Frame read(Duration within) {
        if (!held.isEmpty()) {
            return held.poll();
        }
        // A target whose answers are known to be quick is not given the time of a real one.
        long waitNanos = Math.min(within.toNanos(), 4 * patience.toNanos());
        long deadline = System.nanoTime() + waitNanos;
        try {
            int first = transport.read(leftMs(deadline));
            if (first < 0) {
                return null;
            }
            var length = new ByteArrayOutputStream();
            int digit;
            do {
                digit = must(transport.read(leftMs(deadline)));
                length.write(digit);
            } while (digit >= 0x80);
            byte[] body = new byte[new Cursor(length.toByteArray()).varInt()];
            for (int i = 0; i < body.length; i++) {
                body[i] = (byte) must(transport.read(leftMs(deadline)));
            }
            return new Frame(first, body, v5);
        } catch (SocketTimeoutException e) {
            throw new AssertionError("nothing came within " + within.toMillis() + " ms", e);
        } catch (IOException e) {
            throw new AssertionError("the connection broke", e);
        }
    }

    private static int must(int read) {
        if (read < 0) {
            throw new AssertionError("the connection was closed within a packet");
        }
        return read;
    }

    private static long leftMs(long deadline) {
        return Math.max(1, (deadline - System.nanoTime()) / 1_000_000);
    }
}
