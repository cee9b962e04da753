package io.godwit.server.listener;

import io.godwit.core.settings.OverloadSettings;
import io.godwit.server.StartFailed;
import io.godwit.server.config.ListenerConfig;
import io.godwit.server.http.OriginPolicy;
import io.godwit.server.http.OwnNames;
import io.godwit.server.logging.GroupedLog;
import io.godwit.server.loop.EventLoops;
import io.godwit.server.reload.FileMemory;
import io.godwit.server.tls.ListenerTls;
import io.netty.channel.WriteBufferWaterMark;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The open listeners of the node: bound first, all of them, then accepting. */
public final class Listeners {
    /** Data of several packets that a client put into one WebSocket frame. */
    private static final long FRAME_SLACK_BYTES = 1 << 20;

    private final EventLoops loops;
    private final Inlet[] shards;
    private final Admission admission;
    private final WriteBufferWaterMark waterMark;
    private final long frameBytesMax;
    private final ReadBuffer[] reads;
    private final HandshakeGate[] handshakes;
    private final OutboundBacklogs backlogs;
    private final OwnNames names;
    private final FileMemory files;
    private final GroupedLog faults = new GroupedLog();
    private final GroupedLog noMemory = new GroupedLog();
    private final GroupedLog foreignPages = new GroupedLog();
    private final GroupedLog refusals = new GroupedLog();
    private final Map<String, Listener> open = new LinkedHashMap<>();
    private final Map<String, ListenerTls> tls = new ConcurrentHashMap<>();

    /**
     * @param shards index = loop
     * @param packetBytesMax mqtt.maximum-packet-size
     * @param names of this machine
     */
    public Listeners(
            EventLoops loops,
            Inlet[] shards,
            Admission admission,
            OverloadSettings overload,
            int packetBytesMax,
            OutboundBacklogs backlogs,
            OwnNames names,
            FileMemory files) {
        this.loops = loops;
        this.shards = shards;
        this.admission = admission;
        this.waterMark =
                new WriteBufferWaterMark(overload.writeLowWater(), overload.writeHighWater());
        this.frameBytesMax = packetBytesMax + FRAME_SLACK_BYTES;
        this.reads = new ReadBuffer[loops.count()];
        this.handshakes = new HandshakeGate[loops.count()];
        this.backlogs = backlogs;
        this.names = names;
        this.files = files;
        for (int i = 0; i < reads.length; i++) {
            reads[i] = new ReadBuffer();
            handshakes[i] = new HandshakeGate(loops.get(i));
        }
    }

    /** Binds one more listener; it accepts nothing yet. */
    public void bind(ListenerConfig config) throws StartFailed {
        ListenerTls loaded = null;
        if (config.tls() != null) {
            loaded = ListenerTls.load(config.name(), config.tls(), Instant.now(), files);
            tls.put(config.name(), loaded);
        }
        ListenerAdmission own = new ListenerAdmission(admission, config);
        Acceptor.Target[] targets = new Acceptor.Target[loops.count()];
        List<TlsClients> clients = new ArrayList<>();
        for (int i = 0; i < targets.length; i++) {
            TlsClients withCertificates =
                    loaded == null ? null : new TlsClients(config.name(), loaded, loops.get(i));
            if (withCertificates != null) {
                clients.add(withCertificates);
            }
            targets[i] = target(config, own, loaded, withCertificates, i);
        }
        if (loaded != null) {
            loaded.onLists(() -> clients.forEach(TlsClients::closeRevoked));
        }
        open.put(config.name(), Listener.bind(config, loops.transport(), targets));
    }

    private Acceptor.Target target(
            ListenerConfig config,
            ListenerAdmission own,
            @Nullable ListenerTls tls,
            @Nullable TlsClients clients,
            int shard) {
        ListenerShard home =
                new ListenerShard(
                        config.name(),
                        config.type(),
                        loops.get(shard),
                        shards[shard],
                        own,
                        waterMark,
                        backlogs.of(shard),
                        faults,
                        noMemory,
                        foreignPages,
                        refusals,
                        clients);
        return new Acceptor.Target(
                loops.get(shard),
                home,
                new ChannelSetup(
                        config,
                        home,
                        tls,
                        reads[shard],
                        handshakes[shard],
                        new OriginPolicy(config.origins(), names, tls != null),
                        frameBytesMax));
    }

    /** Lets clients in from now on. */
    public void accept() {
        open.values().forEach(Listener::accept);
    }

    /**
     * Lets nobody in from now on; connected clients stay. Returns when the sockets are closed, or
     * when a loop takes longer than the time-out.
     */
    public void stopAccepting(long timeoutMs) {
        open.values().forEach(listener -> listener.close(timeoutMs));
    }

    /** Where a listener is bound; the port is the real one if 0 was asked for. */
    public InetSocketAddress address(String listener) {
        Listener found = open.get(listener);
        if (found == null) {
            throw new NoSuchElementException("no listener " + listener);
        }
        return found.address();
    }

    /** The listeners as text, such as {@code mqtt tcp 0.0.0.0:1883}, in the order of binding. */
    public List<String> describe() {
        return open.values().stream().map(Listener::toString).toList();
    }

    /** TLS of a listener that is bound; null when it has none. */
    public @Nullable ListenerTls tls(String listener) {
        return tls.get(listener);
    }

    /** Returns NaN while the listener is not bound. Any thread. */
    double certificateExpirySeconds(String listener) {
        ListenerTls found = tls.get(listener);
        return found == null ? Double.NaN : found.expirySeconds(Instant.now());
    }

    /** Any thread. */
    long tlsReloadFailures(String listener) {
        ListenerTls found = tls.get(listener);
        return found == null ? 0 : found.failures();
    }

    /** Call when the loops have ended. */
    public void release() {
        for (ReadBuffer read : reads) {
            read.release();
        }
        tls.values().forEach(ListenerTls::release);
    }
}
