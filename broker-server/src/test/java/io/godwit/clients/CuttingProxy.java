package io.godwit.clients;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stands between one client and the broker and can cut the connection, which no client library does
 * to itself without saying DISCONNECT. It hands bytes on and reads none of them, so TLS passes too.
 */
final class CuttingProxy implements AutoCloseable {
    private final ServerSocket server;
    private final String host;
    private final int port;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    CuttingProxy(String host, int port) {
        this.host = host;
        this.port = port;
        try {
            server = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** Resets every connection that stands, on both sides; later ones are let through. */
    void cut() {
        for (Socket socket : open) {
            reset(socket);
        }
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                Socket broker = new Socket(host, port);
                client.setTcpNoDelay(true);
                broker.setTcpNoDelay(true);
                open.add(client);
                open.add(broker);
                Thread.ofVirtual().start(() -> pump(client, broker));
                Thread.ofVirtual().start(() -> pump(broker, client));
            } catch (IOException closed) {
                // The accept ends with the server socket; a broker that refuses is the client's
                // error.
            }
        }
    }

    /** A side that ends is told to the other; what that one still says to nobody is swallowed. */
    private static void pump(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException gone) {
            try {
                from.getInputStream().transferTo(OutputStream.nullOutputStream());
            } catch (IOException cut) {
                // Both are gone.
            }
        }
    }

    private void reset(Socket socket) {
        open.remove(socket);
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException alreadyClosed) {
            return;
        } finally {
            closeQuietly(socket);
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException gone) {
            // Nothing is left to release.
        }
    }
}
