package io.godwit.server.admin;

import io.godwit.core.Broker;
import io.godwit.core.store.Store;
import io.godwit.server.Health;
import io.godwit.server.StartFailed;
import io.godwit.server.config.BindAddress;
import io.godwit.server.listener.Addresses;
import io.godwit.server.listener.Admission;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The HTTP server of {@code admin.bind}: one thread, few connections. */
public final class AdminServer implements AutoCloseable {
    private static final int CONNECTIONS_MAX = 64;
    private static final int REQUEST_BYTES_MAX = 200 * 1024; // a client id may have 64 KiB, escaped
    private static final int IDLE_SECONDS = 60;
    private static final long STOP_MS = 1_000;

    private final MultiThreadIoEventLoopGroup group =
            new MultiThreadIoEventLoopGroup(
                    1, new DefaultThreadFactory("admin", true), NioIoHandler.newFactory());
    private final ChannelGroup open = new DefaultChannelGroup(group.next());
    private final AdminRoutes routes;
    private final MetricsPage metrics;
    private InetSocketAddress address = new InetSocketAddress(0);

    private AdminServer(
            Broker broker,
            Store store,
            Admission admission,
            Health health,
            BackupPage.@Nullable Copy copy) {
        metrics = new MetricsPage(broker, store, admission);
        routes =
                new AdminRoutes(
                        metrics,
                        new ClientsPage(broker.clients()),
                        broker.context(),
                        health,
                        new BackupPage(copy));
    }

    /**
     * @param copy makes a backup of the store; null when there is nothing to copy
     * @throws StartFailed names the address when it can't be taken
     */
    public static AdminServer start(
            BindAddress bind,
            Broker broker,
            Store store,
            Admission admission,
            Health health,
            BackupPage.@Nullable Copy copy)
            throws StartFailed {
        InetSocketAddress address = bind.toSocketAddress();
        if (address.isUnresolved()) {
            throw new StartFailed("admin.bind: unknown host " + bind.host());
        }
        AdminServer server = new AdminServer(broker, store, admission, health, copy);
        ChannelFuture bound = server.bind(address);
        if (!bound.isSuccess()) {
            server.close();
            throw new StartFailed(
                    "admin.bind: can't listen on " + bind + ": " + bound.cause().getMessage(),
                    bound.cause());
        }
        server.address = (InetSocketAddress) bound.channel().localAddress();
        return server;
    }

    /** Does what the first request would have to wait for; kept out of the start. */
    public void warmUp() {
        group.execute(metrics::prepare);
    }

    private ChannelFuture bind(InetSocketAddress address) {
        return new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childHandler(
                        new ChannelInitializer<SocketChannel>() {
                            @Override
                            protected void initChannel(SocketChannel channel) {
                                accept(channel);
                            }
                        })
                .bind(address)
                .awaitUninterruptibly();
    }

    private void accept(Channel channel) {
        if (open.size() >= CONNECTIONS_MAX) {
            channel.close();
            return;
        }
        open.add(channel);
        channel.pipeline()
                .addLast(
                        new ReadTimeoutHandler(IDLE_SECONDS),
                        new HttpServerCodec(REQUEST_BYTES_MAX, 16 * 1024, 16 * 1024),
                        new HttpObjectAggregator(64 * 1024, true),
                        new AdminHandler(routes));
    }

    public int port() {
        return address.getPort();
    }

    /** Such as {@code 127.0.0.1:8081}. */
    public String addressText() {
        return Addresses.text(address);
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, STOP_MS, TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(STOP_MS, TimeUnit.MILLISECONDS);
        metrics.close();
    }
}
