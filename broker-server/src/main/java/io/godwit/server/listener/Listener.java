package io.godwit.server.listener;

import io.godwit.server.Causes;
import io.godwit.server.StartFailed;
import io.godwit.server.config.ListenerConfig;
import io.godwit.server.loop.Transport;
import io.netty.channel.ChannelFuture;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.ServerSocketChannelConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** One listener: its server sockets, one for each shard where the transport can share a port. */
final class Listener {
    private static final long CLOSE_MS = 1_000;

    private final ListenerConfig config;
    private final List<ServerSocketChannel> sockets = new ArrayList<>();
    private final List<Acceptor> acceptors = new ArrayList<>();

    private Listener(ListenerConfig config) {
        this.config = config;
    }

    /**
     * @param targets index = shard
     * @throws StartFailed names listener and address when the address can't be taken
     */
    static Listener bind(ListenerConfig config, Transport transport, Acceptor.Target[] targets)
            throws StartFailed {
        InetSocketAddress address = config.bind().toSocketAddress();
        if (address.isUnresolved()) {
            throw new StartFailed(key(config) + ": unknown host " + config.bind().host());
        }
        Listener listener = new Listener(config);
        try {
            if (transport.sharesPorts()) {
                if (address.getPort() != 0) {
                    probe(address);
                }
                for (Acceptor.Target target : targets) {
                    listener.bind(transport, address, new Acceptor(target), target);
                    address = listener.address(); // of the first: the others share its port
                }
            } else {
                listener.bind(transport, address, new Acceptor(targets), targets[0]);
            }
        } catch (IOException e) {
            listener.close(CLOSE_MS);
            throw new StartFailed(
                    key(config) + ": can't listen on " + config.bind() + ": " + Causes.ofBind(e),
                    e);
        }
        return listener;
    }

    /**
     * Checks that the address is free: with SO_REUSEPORT the kernel would let a second broker of
     * the same user share the port, and each would get half of the clients. A socket without it
     * finds out.
     */
    private static void probe(InetSocketAddress address) throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(address, 1);
        }
    }

    private void bind(
            Transport transport,
            InetSocketAddress address,
            Acceptor acceptor,
            Acceptor.Target target)
            throws IOException {
        ServerSocketChannel socket = transport.newServerSocket();
        ServerSocketChannelConfig options = socket.config();
        options.setAutoRead(false);
        options.setReuseAddress(true);
        options.setBacklog(config.backlog());
        if (config.receiveBufferBytes() > 0) {
            options.setReceiveBufferSize(config.receiveBufferBytes()); // connections inherit it
        }
        socket.pipeline().addLast(acceptor);
        sockets.add(socket);
        acceptors.add(acceptor);
        await(target.loop().register(socket));
        await(socket.bind(address));
    }

    private static void await(ChannelFuture future) throws IOException {
        future.awaitUninterruptibly();
        Throwable cause = future.cause();
        if (cause != null) {
            throw cause instanceof IOException io ? io : new IOException(cause);
        }
    }

    private static String key(ListenerConfig config) {
        return "listeners." + config.name() + ".bind";
    }

    void accept() {
        for (ServerSocketChannel socket : sockets) {
            socket.config().setAutoRead(true);
        }
    }

    InetSocketAddress address() {
        return sockets.getFirst().localAddress();
    }

    void close(long timeoutMs) {
        for (int i = 0; i < sockets.size(); i++) {
            ServerSocketChannel socket = sockets.get(i);
            if (socket.isRegistered()) {
                socket.eventLoop().execute(acceptors.get(i)::stop);
            }
            socket.close().awaitUninterruptibly(timeoutMs);
        }
    }

    @Override
    public String toString() {
        return config.name()
                + " "
                + config.type().name().toLowerCase(Locale.ROOT)
                + " "
                + Addresses.text(address())
                + String.join(",", config.paths());
    }
}
