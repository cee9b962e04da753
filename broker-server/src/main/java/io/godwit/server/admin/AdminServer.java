package io.godwit.server.admin;

import io.godwit.core.node.Broker;
import io.godwit.core.store.Store;
import io.godwit.server.Causes;
import io.godwit.server.Health;
import io.godwit.server.StartFailed;
import io.godwit.server.config.AdminConfig;
import io.godwit.server.config.BindAddress;
import io.godwit.server.config.NodeConfig;
import io.godwit.server.listener.Addresses;
import io.godwit.server.listener.Admission;
import io.godwit.server.service.Sessions;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The HTTP server of {@code admin.bind}: one thread that waits for nobody, since health is answered
 * on it; what takes longer is done elsewhere. {@link AdminConnections} bounds who is connected.
 */
public final class AdminServer implements AutoCloseable {
    private static final int REQUEST_BYTES_MAX = 200 * 1024; // a client id may have 64 KiB, escaped
    private static final long WARM_UP_MS = 1_000;

    /** From the heap: clients may have used up what there is of network buffers. */
    private static final ByteBufAllocator BUFFERS = new UnpooledByteBufAllocator(false);

    private static final long STOP_MS = 1_000;

    private final MultiThreadIoEventLoopGroup group =
            new MultiThreadIoEventLoopGroup(
                    1, new DefaultThreadFactory("admin", true), NioIoHandler.newFactory());
    private final AdminRefusals refusals = new AdminRefusals();
    private final AdminTimes times = new AdminTimes();
    private final AdminConnections connections = new AdminConnections(refusals);
    private final long requestMs;
    private final AdminRoutes routes;
    private final AdminAccess access;
    private final MetricsPage metrics;
    private InetSocketAddress address = new InetSocketAddress(0);

    private AdminServer(
            AdminConfig config,
            NodeConfig node,
            Broker broker,
            Store store,
            Admission admission,
            Health health,
            BackupPage backup,
            ClusterPage cluster,
            ReloadPage reload,
            ExtensionsPage extensions,
            List<MeterBinder> meters,
            Sessions sessions) {
        access = new AdminAccess(config, node.hostName(), refusals);
        requestMs = config.requestTimeoutMs();
        metrics =
                new MetricsPage(
                        broker,
                        store,
                        admission,
                        refusals,
                        times,
                        node.name(),
                        cluster.view(),
                        meters);
        routes =
                new AdminRoutes(
                        metrics,
                        new ClientsPage(broker.clients(), cluster, sessions),
                        broker.context(),
                        store,
                        health,
                        backup,
                        cluster,
                        reload,
                        extensions);
    }

    /**
     * @param bind of the configuration
     * @param meters of other parts, for the metrics page
     * @param sessions of all nodes
     * @throws StartFailed names the address when it can't be taken
     */
    public static AdminServer start(
            AdminConfig config,
            BindAddress bind,
            NodeConfig node,
            Broker broker,
            Store store,
            Admission admission,
            Health health,
            BackupPage backup,
            ClusterPage cluster,
            ReloadPage reload,
            ExtensionsPage extensions,
            List<MeterBinder> meters,
            Sessions sessions)
            throws StartFailed {
        InetSocketAddress address = bind.toSocketAddress();
        if (address.isUnresolved()) {
            throw new StartFailed("admin.bind: unknown host " + bind.host());
        }
        AdminServer server =
                new AdminServer(
                        config,
                        node,
                        broker,
                        store,
                        admission,
                        health,
                        backup,
                        cluster,
                        reload,
                        extensions,
                        meters,
                        sessions);
        ChannelFuture bound = server.bind(address);
        if (!bound.isSuccess()) {
            server.close();
            throw new StartFailed(
                    "admin.bind: can't listen on " + bind + ": " + Causes.ofBind(bound.cause()),
                    bound.cause());
        }
        server.address = (InetSocketAddress) bound.channel().localAddress();
        return server;
    }

    /** Does what the first request would have to wait for, when the start is over. */
    public void warmUp() {
        group.schedule(metrics::prepare, WARM_UP_MS, TimeUnit.MILLISECONDS);
    }

    private ChannelFuture bind(InetSocketAddress address) {
        return new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.ALLOCATOR, BUFFERS)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, new HeapReads())
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
        boolean healthOnly = connections.makeRoom();
        if (!connections.hasRoom()) {
            refusals.count(AdminRefusal.BUSY);
            channel.close();
            return;
        }
        AdminConnection connection =
                new AdminConnection(connections, refusals, requestMs, healthOnly);
        channel.pipeline()
                .addLast(
                        connection,
                        new HttpServerCodec(REQUEST_BYTES_MAX, 16 * 1024, 16 * 1024),
                        new HttpObjectAggregator(64 * 1024, true),
                        new AdminHandler(routes, access, connection, refusals, times));
    }

    public int port() {
        return address.getPort();
    }

    /** The address that the port is bound to, such as {@code 127.0.0.1:8081}. */
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
