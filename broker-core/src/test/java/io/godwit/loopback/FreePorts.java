package io.godwit.loopback;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Ports of 127.0.0.1 for those who must know theirs before they take it. */
public final class FreePorts {
    /** Below those that a system gives to connections that ask for none. */
    private static final int FIRST = 20_000;

    private static final int COUNT = 12_000;

    /** Each JVM of a build begins somewhere else. */
    private static final AtomicInteger NEXT =
            new AtomicInteger((int) (ProcessHandle.current().pid() * 599 % COUNT));

    private FreePorts() {}

    /**
     * A port that nobody has, nor takes by chance before the caller does: one that the system gives
     * may go to the next connection.
     */
    public static int next() {
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

    /** So many, each another one. */
    public static List<Integer> next(int count) {
        return IntStream.range(0, count).mapToObj(any -> next()).toList();
    }
}
