package io.godwit.benchmarks.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Puts each packet into a masked binary frame of its own, as client libraries do; all frames of one
 * write leave together. A mask is constant for the connection.
 */
final class WebSocketWire implements Wire {
    private static final int BINARY_LAST = 0x82;
    private static final int MASKED = 0x80;

    /** Of a header with its mask and two bytes of length. */
    private static final int SMALL_HEADER_BYTES = 8;

    private static final int HEADER_BYTES_MAX = 14;
    private static final int RESPONSE_BYTES_MAX = 4_096;
    private static final ByteBuffer REQUEST =
            ByteBuffer.wrap(
                    """
                    GET /mqtt HTTP/1.1\r
                    Host: 127.0.0.1\r
                    Upgrade: websocket\r
                    Connection: Upgrade\r
                    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
                    Sec-WebSocket-Version: 13\r
                    Sec-WebSocket-Protocol: mqtt\r
                    \r
                    """
                            .getBytes(ISO_8859_1));

    private final int mask;
    private final long mask8;
    private final Wires wires;
    private final Wire below;
    private final Leftover leftover;
    private final StringBuilder response = new StringBuilder();
    private boolean asked;
    private boolean open;

    private final byte[] header = new byte[10];
    private int headerBytes;

    /** Payload bytes of the frame at hand that have not come. */
    private long remaining;

    WebSocketWire(int mask, Wires wires, Wire below) {
        this.mask = mask;
        this.wires = wires;
        this.below = below;
        mask8 = (mask & 0xFFFF_FFFFL) << 32 | mask & 0xFFFF_FFFFL;
        leftover = new Leftover(below);
    }

    @Override
    public void start() throws IOException {
        below.start();
        ask();
    }

    private void ask() throws IOException {
        if (asked || !below.isOpen()) return;
        asked = true;
        leftover.write(REQUEST.duplicate());
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        int from = into.position();
        int count = below.read(into);
        if (count < 0) return -1;
        ask();
        int at = open ? from : afterResponse(into, from);
        int end = into.position();
        into.position(from);
        while (at < end) {
            if (remaining == 0) {
                onHeaderByte(into.get(at++));
            } else {
                int length = (int) Math.min(remaining, end - at);
                into.put(into.position(), into, at, length);
                into.position(into.position() + length);
                remaining -= length;
                at += length;
            }
        }
        return into.position() - from;
    }

    /** Returns where the bytes begin that follow the answer to the request. */
    private int afterResponse(ByteBuffer in, int from) throws IOException {
        int at = from;
        while (!open && at < in.position()) {
            response.append((char) (in.get(at++) & 0xFF));
            if (response.length() > RESPONSE_BYTES_MAX) break;
            open = response.length() > 3 && response.lastIndexOf("\r\n\r\n") > 0;
        }
        if (response.length() > 12 && !response.substring(8, 13).equals(" 101 "))
            throw new IOException("no WebSocket: " + response);
        return at;
    }

    private void onHeaderByte(byte value) throws IOException {
        header[headerBytes++] = value;
        if (headerBytes < 2) return;
        int length7 = header[1];
        int wanted = length7 == 126 ? 4 : length7 == 127 ? 10 : 2;
        if (length7 < 0) throw new IOException("the broker masks its frames");
        if (headerBytes < wanted) return;
        int opcode = header[0] & 0x0F;
        if (opcode != 0x0 && opcode != 0x2) throw new IOException("a frame with opcode " + opcode);
        remaining = wanted == 2 ? length7 : 0;
        for (int i = 2; i < wanted; i++) remaining = remaining << 8 | header[i] & 0xFF;
        headerBytes = 0;
    }

    @Override
    public void write(ByteBuffer packets) throws IOException {
        if (!packets.hasRemaining() || !flush()) return;
        ByteBuffer frames = wires.frames(packets.remaining());
        while (packets.hasRemaining()) putFrame(packets, packetBytes(packets), frames);
        leftover.write(frames.flip());
    }

    private static int packetBytes(ByteBuffer packets) {
        int at = packets.position() + 1;
        int length = 0;
        int shift = 0;
        int digit;
        do {
            digit = packets.get(at++);
            length |= (digit & 0x7F) << shift;
            shift += 7;
        } while (digit < 0);
        return at - packets.position() + length;
    }

    private void putFrame(ByteBuffer packets, int length, ByteBuffer frames) {
        frames.put((byte) BINARY_LAST);
        if (length <= 125) {
            frames.put((byte) (MASKED | length));
        } else if (length <= 0xFFFF) {
            frames.put((byte) (MASKED | 126)).putShort((short) length);
        } else {
            frames.put((byte) (MASKED | 127)).putLong(length);
        }
        frames.putInt(mask);
        int end = packets.position() + length;
        while (end - packets.position() >= 8) frames.putLong(packets.getLong() ^ mask8);
        for (int shift = 24; packets.position() < end; shift -= 8) {
            // shift & 31: after four bytes the mask begins again
            frames.put((byte) (packets.get() ^ mask >>> (shift & 31)));
        }
    }

    /** Returns how many bytes frames take at most, whatever packets stand in them. */
    static int framedBytesMax(int packetBytes) {
        return packetBytes / 2 * SMALL_HEADER_BYTES + packetBytes + HEADER_BYTES_MAX;
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
        below.release();
    }
}
