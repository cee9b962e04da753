package io.godwit.clients;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import org.awaitility.Awaitility;

/** Ports of 127.0.0.1 that processes listen on. */
final class Ports {
    private Ports() {}

    /** Waits until somebody listens; fails when the process that should do so has ended. */
    static void awaitListening(int port, Process owner, Duration limit) {
        Awaitility.await("a listener on port " + port)
                .atMost(limit)
                .pollInterval(Duration.ofMillis(20))
                .failFast(() -> !owner.isAlive())
                .until(() -> listens(port));
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 200);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }
}
