package io.godwit.conformance.target;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A listener with a thread per connection, for the doubles. */
abstract class DoubleServer implements Target {
    private final ServerSocket server;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    DoubleServer() {
        try {
            server = new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofPlatform().daemon().name("double-accept").start(this::accept);
    }

    /** Serves one connection until it ends. */
    abstract void serve(Socket socket) throws IOException;

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                sockets.add(socket);
                Thread.ofVirtual().start(() -> run(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void run(Socket socket) {
        try (socket) {
            serve(socket);
        } catch (IOException e) {
            // The test has cut the connection.
        } finally {
            sockets.remove(socket);
        }
    }

    @Override
    public InetSocketAddress tcp(Profile profile) {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    @Override
    public InetSocketAddress webSocket(Profile profile) {
        return tcp(profile);
    }

    /** Short: a double answers at once or never. */
    @Override
    public Duration patience() {
        return Duration.ofMillis(400);
    }

    @Override
    public void close() {
        try {
            server.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
