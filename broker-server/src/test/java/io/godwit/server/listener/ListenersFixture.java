package io.godwit.server.listener;

import io.godwit.core.connection.CloseCause;
import io.godwit.core.connection.Wire;
import io.godwit.core.connection.WireListener;
import io.godwit.core.metrics.Counters;
import io.godwit.core.metrics.Metric;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.server.StartFailed;
import io.godwit.server.config.BindAddress;
import io.godwit.server.config.ListenerConfig;
import io.godwit.server.config.ProxyConfig;
import io.godwit.server.config.TlsConfig;
import io.godwit.server.http.OwnNames;
import io.godwit.server.loop.EventLoops;
import io.godwit.server.loop.Transport;
import io.godwit.server.reload.FileMemory;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Listeners with something behind them that sends back every byte. */
final class ListenersFixture implements AutoCloseable {
    static final int SHARDS = 2;
    static final int PACKET_BYTES_MAX = 1 << 20;

    final List<Wire> wires = new CopyOnWriteArrayList<>();
    private final Map<Wire, Integer> shardOf = new ConcurrentHashMap<>();
    final AtomicInteger closed = new AtomicInteger();

    /** Address and reason of each connection that ended before MQTT would have begun. */
    final List<String> failures = new CopyOnWriteArrayList<>();

    final List<Throwable> faults = new CopyOnWriteArrayList<>();
    final EventLoops loops;
    final Listeners listeners;
    private final Echo[] shards = new Echo[SHARDS];

    /** What the last connection that was opened does with bytes. */
    interface OnBytes {
        void onBytes(Wire wire, ByteBuf in);
    }

    volatile OnBytes onBytes =
            (wire, in) -> {
                ByteBuf out = wire.allocate(in.readableBytes());
                out.writeBytes(in);
                wire.write(out);
                wire.flush();
            };

    ListenersFixture(Transport transport, Admission admission) {
        loops = new EventLoops(SHARDS, transport, (shard, fault) -> faults.add(fault));
        for (int i = 0; i < SHARDS; i++) {
            shards[i] = new Echo(i);
        }
        listeners =
                new Listeners(
                        loops,
                        shards,
                        admission,
                        OverloadSettings.DEFAULTS,
                        PACKET_BYTES_MAX,
                        new OutboundBacklogs(loops, 64 << 20),
                        new OwnNames("broker1", List.of()),
                        FileMemory.unbounded());
    }

    ListenersFixture() {
        this(Transport.best(), new Admission(1_000, 10));
    }

    static ListenerConfig listener(ListenerConfig.Type type, @Nullable TlsConfig tls) {
        return listener(type, tls, 0);
    }

    static ListenerConfig listener(ListenerConfig.Type type, @Nullable TlsConfig tls, int port) {
        return listener(type, tls, port, ProxyConfig.NONE);
    }

    static ListenerConfig listener(
            ListenerConfig.Type type, @Nullable TlsConfig tls, int port, ProxyConfig proxies) {
        return new ListenerConfig(
                "test",
                type,
                new BindAddress("127.0.0.1", port),
                type.webSocket() ? List.of("/mqtt", "/ws") : List.of(),
                10_000,
                List.of("https://app.example.org"),
                tls,
                128,
                0,
                0,
                0,
                0,
                proxies,
                TlsConfig.Identity.NONE,
                List.of());
    }

    /** Binds and accepts; gives back the port. */
    int open(ListenerConfig config) throws StartFailed {
        listeners.bind(config);
        listeners.accept();
        return listeners.address(config.name()).getPort();
    }

    /** On the thread that alone may touch the wire. */
    void execute(Wire wire, Runnable task) {
        loops.get(Objects.requireNonNull(shardOf.get(wire))).execute(task);
    }

    long pendingBytes(Wire wire) throws Exception {
        return loops.get(Objects.requireNonNull(shardOf.get(wire)))
                .submit(wire::pendingBytes)
                .get(60, TimeUnit.SECONDS);
    }

    long total(Metric metric) {
        long sum = 0;
        for (Echo shard : shards) {
            sum += shard.counters.total(metric);
        }
        return sum;
    }

    @Override
    public void close() {
        listeners.stopAccepting(10_000);
        if (!loops.stop(10_000)) {
            throw new AssertionError("the loops did not end");
        }
        listeners.release();
        if (!faults.isEmpty()) {
            throw new AssertionError("a fault on a shard", faults.getFirst());
        }
    }

    private final class Echo implements Inlet {
        final Counters counters = new Counters();
        private final int index;

        Echo(int index) {
            this.index = index;
        }

        @Override
        public WireListener open(Wire wire) {
            shardOf.put(wire, index);
            wires.add(wire);
            return new WireListener() {
                @Override
                public void onBytes(ByteBuf in) {
                    onBytes.onBytes(wire, in);
                }

                @Override
                public void onWritable() {}

                @Override
                public void onOverdrawn() {}

                @Override
                public void onClosed() {
                    closed.incrementAndGet();
                }
            };
        }

        @Override
        public void handshakeFailed(CloseCause cause, String address, String listener, String why) {
            failures.add(address + " " + why);
        }

        @Override
        public Counters counters() {
            return counters;
        }
    }
}
