package io.godwit.clients;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/** Ports of 127.0.0.1 for processes that can't tell which one they took. */
public final class Ports {
    /** Below those that a system gives to connections that ask for none. */
    private static final int FIRST = 20_000;

    private static final int COUNT = 12_000;

    /** Each JVM of a build begins somewhere else. */
    private static final AtomicInteger NEXT =
            new AtomicInteger((int) (ProcessHandle.current().pid() * 599 % COUNT));

    private Ports() {}

    /**
     * A port that nobody has, nor takes by chance before the caller does: one that the system gives
     * may go to the next connection.
     */
    public static int free() {
        for (int tries = 0; tries < COUNT; tries++) {
            int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
            try (ServerSocket socket =
                    new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                // Somebody has it.
            }
        }
        throw new IllegalStateException("no free port of " + COUNT + " from " + FIRST + " on");
    }

    /** Waits until somebody listens; fails when the process that should do so has ended. */
    public static void awaitListening(int port, Process owner, Duration limit) {
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
