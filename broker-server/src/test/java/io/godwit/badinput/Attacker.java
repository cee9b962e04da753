package io.godwit.badinput;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What an {@link Attack} needs: a broker, an end, and clients that are closed with it. That the
 * broker ends a connection, or refuses one, is what an attacker has to expect.
 */
final class Attacker implements AutoCloseable {
    private final int port;
    private final int adminPort;
    private final double size;
    private final long endNanos;
    private final List<AutoCloseable> clients = Collections.synchronizedList(new ArrayList<>());

    /** What the part that a thread runs has opened: closed with it. */
    private final ThreadLocal<List<AutoCloseable>> ofPart = new ThreadLocal<>();

    /**
     * @param size part of the full attack, 0..1
     * @param lengthMs how long it goes on
     */
    Attacker(int port, int adminPort, double size, long lengthMs) {
        this.port = port;
        this.adminPort = adminPort;
        this.size = size;
        this.endNanos = System.nanoTime() + lengthMs * 1_000_000;
    }

    /** A part of an attack that ends when the broker closes its connection. */
    interface Part {
        void run() throws IOException, InterruptedException;
    }

    int port() {
        return port;
    }

    /** How many of so many. */
    int of(int full) {
        return (int) Math.max(1, Math.round(full * size));
    }

    boolean goesOn() {
        return System.nanoTime() - endNanos < 0;
    }

    /** Holds what it has until the end. */
    void wait(int ms) throws InterruptedException {
        long left = (endNanos - System.nanoTime()) / 1_000_000;
        Thread.sleep(Math.max(0, Math.min(ms, left)));
    }

    void holdOn() throws InterruptedException {
        wait(Integer.MAX_VALUE);
    }

    RawClient open(int receiveBuffer) throws IOException {
        return add(RawClient.open(port, receiveBuffer));
    }

    RawClient connected(String clientId) throws IOException {
        RawClient client = open(0);
        client.connect(clientId);
        return client;
    }

    /** A client with a small buffer, so that what it does not read fills the broker. */
    RawClient deaf(String clientId) throws IOException {
        RawClient client = open(16 << 10);
        client.connect(clientId);
        return client;
    }

    Socket admin() throws IOException {
        return add(new Socket(InetAddress.getLoopbackAddress(), adminPort));
    }

    Swarm swarm() throws IOException {
        return add(new Swarm(port));
    }

    /** Does it again and again, on a new connection each time. */
    private void again(Part part) throws InterruptedException {
        while (goesOn()) {
            once(part);
            wait(1);
        }
    }

    private void once(Part part) throws InterruptedException {
        List<AutoCloseable> mine = new ArrayList<>();
        ofPart.set(mine);
        try {
            part.run();
        } catch (IOException | AssertionError refused) {
            // An attacker is refused, or cut off.
        } finally {
            ofPart.remove();
            clients.removeAll(mine);
            close(mine);
        }
    }

    private <C extends AutoCloseable> C add(C client) {
        clients.add(client);
        List<AutoCloseable> mine = ofPart.get();
        if (mine != null) {
            mine.add(client);
        }
        return client;
    }

    /** Several at a time; returns when all have ended. */
    void each(int count, Part part) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            threads.add(
                    Thread.ofVirtual()
                            .start(() -> {
                                try {
                                    again(part);
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                }
                            }));
        }
        holdOn();
        close(); // Whoever still writes or waits is thrown out.
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Override
    public void close() {
        List<AutoCloseable> all;
        synchronized (clients) {
            all = List.copyOf(clients);
            clients.clear();
        }
        close(all);
    }

    private static void close(List<AutoCloseable> all) {
        for (AutoCloseable each : all) {
            try {
                each.close();
            } catch (Exception e) {
                // It was closed by the broker.
            }
        }
    }
}
