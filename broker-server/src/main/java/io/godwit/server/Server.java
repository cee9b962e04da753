package io.godwit.server;

import io.godwit.server.config.Config;
import io.godwit.server.config.ListenerConfig;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Holds the configured ports open: the part of the server that the launcher's tests need. */
public final class Server {
    private Server() {}

    /** Returns when every listener is bound. */
    public static void start(Config config) throws StartFailed {
        List<String> bound = new ArrayList<>();
        for (ListenerConfig listener : config.listeners()) {
            try {
                ServerSocket socket = new ServerSocket();
                socket.bind(listener.bind().toSocketAddress());
                Thread.ofPlatform().start(() -> serve(socket));
                bound.add(listener.name() + " " + socket.getLocalSocketAddress());
            } catch (IOException e) {
                throw new StartFailed(
                        "The listener " + listener.name() + " can't bind to " + listener.bind(), e);
            }
        }
        // Otherwise the JVM reports SIGTERM as 143.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> Runtime.getRuntime().halt(0)));
        System.out.println(
                "ready: "
                        + String.join(", ", bound)
                        + "; data "
                        + config.node().data()
                        + "; godwit "
                        + Version.current());
    }

    private static void serve(ServerSocket socket) {
        try {
            while (!socket.isClosed()) socket.accept().close();
        } catch (IOException e) {
            System.err.println(e.getMessage());
        }
    }
}
