package io.godwit.chaos;

import io.godwit.conformance.wire.Bytes;
import io.godwit.conformance.wire.ConnectBytes;
import io.godwit.conformance.wire.Frame;
import io.godwit.server.RawMqtt;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Subscribes to everything that is retained, takes what comes, and leaves. */
final class RetainedReader {
    private static final int LIMIT_MS = 10_000;

    /** Once retained messages were missing: what is missing then need not be waited for again. */
    private static final int LIMIT_IN_VAIN_MS = 1_000;

    private static final int SUBACK = 0x90;
    private static final int PUBLISH = 0x30;

    private RetainedReader() {}

    static void check(Scene scene, InetSocketAddress at) {
        Map<String, Integer> least = scene.retained().acknowledged();
        Set<String> certain = scene.retained().certain();
        Map<String, Mark> values = new HashMap<>();
        try (Socket socket = new Socket(at.getAddress(), at.getPort())) {
            socket.setSoTimeout(hasFound(scene) ? LIMIT_IN_VAIN_MS : LIMIT_MS);
            socket.getOutputStream().write(ConnectBytes.v5("reader").bytes());
            socket.getOutputStream().write(RawMqtt.subscribe(RawMqtt.V5, "r/#"));
            boolean answered = false;
            while (!answered || !values.keySet().containsAll(certain)) {
                byte[] packet = RawMqtt.read(socket);
                int type = packet[0] & 0xF0;
                answered |= type == SUBACK;
                if (type == PUBLISH) {
                    Frame.Publish publish = frame(packet).publish();
                    Mark value = Mark.parse(publish.payload());
                    if (value != null) {
                        values.put(publish.topic(), value);
                    }
                    socket.getOutputStream()
                            .write(Bytes.packet(0x40, Bytes.u16(publish.packetId())));
                }
            }
        } catch (SocketTimeoutException e) {
            // What did not come is not there.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        scene.tally().add(Happening.RETAINED_CHECKED, certain.size());
        scene.retained().check(least, certain, values);
    }

    private static boolean hasFound(Scene scene) {
        return scene.checker().violations().stream()
                .anyMatch(each -> each.kind() == Violation.Kind.RETAINED);
    }

    private static Frame frame(byte[] packet) {
        int at = 1;
        while (packet[at++] < 0) {
            // the length
        }
        return new Frame(packet[0] & 0xFF, Arrays.copyOfRange(packet, at, packet.length), true);
    }
}
