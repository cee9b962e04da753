package io.godwit.conformance.target;

import io.godwit.conformance.wire.Bytes;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Answers whatever it gets with the acknowledgement that says yes, and passes each PUBLISH, as it
 * came, to every connection that has subscribed to anything of the same test. It never refuses,
 * checks, stores or closes.
 */
final class AcceptEverythingDouble extends DoubleServer {
    private static final Pattern TOPIC = Pattern.compile("conformance/([a-zA-Z0-9]+)/");

    private final Map<Socket, Subscriber> subscribers = new ConcurrentHashMap<>();

    /**
     * @param tests what stands in the topics of a test and of no other
     */
    private record Subscriber(OutputStream out, Set<String> tests) {}

    @Override
    void serve(Socket socket) throws IOException {
        try {
            var in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            OutputStream out = socket.getOutputStream();
            in.mark(1);
            int first = in.read();
            in.reset();
            if (first == 'G') {
                var webSocket = new DoubleWebSocket(in, out);
                webSocket.shakeHands();
                packets(socket, new DataInputStream(webSocket.input()), webSocket.output());
            } else {
                packets(socket, in, out);
            }
        } finally {
            subscribers.remove(socket);
        }
    }

    private void packets(Socket socket, DataInputStream in, OutputStream out) throws IOException {
        boolean v5 = true;
        while (true) {
            int first = in.readUnsignedByte();
            byte[] body = in.readNBytes(remainingLength(in));
            switch (first >> 4) {
                case 1 -> {
                    v5 = body.length > 6 && body[6] >= 5;
                    write(out, v5 ? new byte[] {0x20, 3, 0, 0, 0} : new byte[] {0x20, 2, 0, 0});
                }
                case 3 -> {
                    passOn(first, body);
                    publish(out, first, body);
                }
                case 5 -> write(out, ack(0x62, body));
                case 6 -> write(out, ack(0x70, body));
                case 8 -> {
                    subscribers
                            .computeIfAbsent(socket, s -> newSubscriber(out))
                            .tests()
                            .add(testIn(body));
                    write(out, granted(0x90, body, v5, 1));
                }
                case 10 -> write(out, granted(0xB0, body, v5, 0));
                case 12 -> write(out, new byte[] {(byte) 0xD0, 0});
                case 15 -> write(out, packet(0xF0, body));
                default -> {}
            }
        }
    }

    private static Subscriber newSubscriber(OutputStream out) {
        return new Subscriber(out, ConcurrentHashMap.newKeySet());
    }

    /** The second level of the topics that {@code Conformance.topic} makes, or nothing. */
    private static String testIn(byte[] packet) {
        var test = TOPIC.matcher(new String(packet, StandardCharsets.ISO_8859_1));
        return test.find() ? test.group(1) : "";
    }

    private void passOn(int first, byte[] body) throws IOException {
        String test = testIn(body);
        for (Subscriber subscriber : subscribers.values()) {
            if (subscriber.tests().contains(test)) {
                write(subscriber.out(), packet(first, body));
            }
        }
    }

    private static void publish(OutputStream out, int first, byte[] body) throws IOException {
        int qos = first >> 1 & 3;
        if (qos == 0 || body.length < 4) {
            return;
        }
        int at = 2 + ((body[0] & 0xFF) << 8 | body[1] & 0xFF);
        if (at + 2 <= body.length) {
            write(out, new byte[] {(byte) (qos == 1 ? 0x40 : 0x50), 2, body[at], body[at + 1]});
        }
    }

    private static byte[] ack(int first, byte[] body) {
        return new byte[] {
            (byte) first, 2, body.length > 0 ? body[0] : 0, body.length > 1 ? body[1] : 0
        };
    }

    /** SUBACK that grants what was asked for, UNSUBACK with success. */
    private static byte[] granted(int first, byte[] body, boolean v5, int options) {
        int at = 2;
        if (v5 && body.length > 2) {
            at += 1 + (body[2] & 0x7F);
        }
        byte[] codes = new byte[body.length];
        int count = 0;
        while (at + 2 <= body.length) {
            at += 2 + ((body[at] & 0xFF) << 8 | body[at + 1] & 0xFF);
            codes[count++] = options > 0 && at < body.length ? (byte) (body[at] & 3) : 0;
            at += options;
        }
        boolean bare = !v5 && options == 0;
        byte[] out = new byte[2 + (v5 ? 1 : 0) + (bare ? 0 : count)];
        out[0] = body.length > 0 ? body[0] : 0;
        out[1] = body.length > 1 ? body[1] : 0;
        System.arraycopy(codes, 0, out, v5 ? 3 : 2, bare ? 0 : count);
        return packet(first, out);
    }

    private static byte[] packet(int first, byte[] body) {
        return Bytes.packet(first, body);
    }

    private static int remainingLength(DataInputStream in) throws IOException {
        int value = 0;
        for (int shift = 0; shift <= 21; shift += 7) {
            int digit = in.readUnsignedByte();
            value |= (digit & 0x7F) << shift;
            if (digit < 0x80) {
                break;
            }
        }
        return value;
    }

    private static void write(OutputStream out, byte[] bytes) throws IOException {
        synchronized (out) {
            out.write(bytes);
            out.flush();
        }
    }
}
