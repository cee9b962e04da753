package io.godwit.cluster.node;

import io.godwit.cluster.transport.Endpoint;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.PeerListener;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.cluster.transport.Unconfirmed;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Knows which nodes have ended: their address refuses connections, so their machine is there and
 * their process is not. Of one that does not run for a while, is cut off, or whose machine is gone,
 * nothing comes at all, and it is not known to have ended. While a node is not heard its address is
 * tried several times a second, on a thread of its own. Once another node has the address nobody
 * tries it: the former one has ended.
 */
public final class EndedNodes implements PeerListener, AutoCloseable {
    private static final int CONNECT_MS = 300;
    private static final long EACH_MS = 300;

    /** A port may be closed for a moment while its node starts anew. */
    private static final int REFUSALS = 2;

    /**
     * How long a refused connection counts. It may be older when it is asked for: this node did not
     * run for a while, or waits for addresses that are silent.
     */
    private static final long KNOWN_MS = 2_000;

    /** Tries addresses. */
    interface Knock {
        /** Returns whether the address refuses connections; false: it takes them, or is silent. */
        boolean isRefused(InetSocketAddress address);
    }

    /** A node that is not heard. */
    private static final class Missing {
        final InetSocketAddress address;
        volatile int refusals;

        /** When it was tried last. */
        volatile long triedMs;

        /** Another node has its address. */
        volatile boolean isReplaced;

        Missing(InetSocketAddress address) {
            this.address = address;
        }
    }

    private final Function<Endpoint, @Nullable InetSocketAddress> addresses;
    private final Knock knock;
    private final LongSupplier monotonicMs;

    /** Holds the present link to each node, or the last one, by server id. */
    private final Map<Integer, PeerLink> links = new ConcurrentHashMap<>();

    /** Holds the address of each node that there was a link to, by server id. */
    private final Map<Integer, InetSocketAddress> known = new ConcurrentHashMap<>();

    /** Holds nodes without a link, and those whose link is silent, by server id. */
    private final Map<Integer, Missing> missing = new ConcurrentHashMap<>();

    private @Nullable ScheduledExecutorService thread;

    /**
     * @param addresses finds where an endpoint takes connections
     */
    public EndedNodes(Function<Endpoint, @Nullable InetSocketAddress> addresses) {
        this(
                addresses,
                EndedNodes::isRefused,
                () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
    }

    /**
     * @param monotonicMs goes on while this node does not run
     */
    EndedNodes(
            Function<Endpoint, @Nullable InetSocketAddress> addresses,
            Knock knock,
            LongSupplier monotonicMs) {
        this.addresses = addresses;
        this.knock = knock;
        this.monotonicMs = monotonicMs;
    }

    /** Begins to try the addresses of nodes that links have ended to. */
    public void start() {
        ScheduledExecutorService made =
                Executors.newSingleThreadScheduledExecutor(task -> {
                    Thread worker = new Thread(task, "godwit-ended-nodes");
                    worker.setDaemon(true);
                    return worker;
                });
        made.scheduleWithFixedDelay(this::look, EACH_MS, EACH_MS, TimeUnit.MILLISECONDS);
        thread = made;
    }

    /** Whether a node has ended, as far as is known; any thread. */
    public boolean hasEnded(int server) {
        Missing of = missing.get(server);
        return of != null && (of.isReplaced || isRefused(of));
    }

    private boolean isRefused(Missing node) {
        return node.refusals >= REFUSALS && monotonicMs.getAsLong() - node.triedMs <= KNOWN_MS;
    }

    /** Tries each address once. */
    void look() {
        for (Missing each : missing.values()) {
            if (each.isReplaced) {
                continue;
            }
            long beganMs = monotonicMs.getAsLong();
            boolean isRefused = knock.isRefused(each.address);
            boolean isNext = beganMs - each.triedMs <= KNOWN_MS;
            each.refusals = !isRefused ? 0 : isNext ? each.refusals + 1 : 1;
            each.triedMs = beganMs;
        }
    }

    private static boolean isRefused(InetSocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.connect(address, CONNECT_MS);
            return false;
        } catch (ConnectException e) {
            // One that can't be reached is told apart by its text alone.
            return String.valueOf(e.getMessage()).contains("refused");
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void onUp(PeerLink link, Resumed resumed) {
        int server = link.peer().server();
        links.put(server, link);
        missing.remove(server);
        InetSocketAddress address = addresses.apply(link.endpoint());
        if (address == null) {
            known.remove(server);
        } else {
            known.forEach((other, at) -> {
                if (at.equals(address)) {
                    replaced(other);
                }
            });
            known.put(server, address);
        }
    }

    private void replaced(int server) {
        known.remove(server);
        Missing of = missing.get(server);
        if (of != null) {
            of.isReplaced = true;
        }
    }

    @Override
    public void onSilent(PeerLink link) {
        misses(link);
    }

    @Override
    public void onHeard(PeerLink link) {
        int server = link.peer().server();
        if (links.get(server) == link) {
            missing.remove(server);
        }
    }

    @Override
    public void onDown(PeerLink link, List<Unconfirmed> unconfirmed) {
        misses(link);
    }

    private void misses(PeerLink link) {
        int server = link.peer().server();
        InetSocketAddress address = known.get(server);
        if (links.get(server) == link && address != null) {
            missing.putIfAbsent(server, new Missing(address));
        }
    }

    @Override
    public void onRoom(PeerLink link, TrafficClass traffic) {}

    @Override
    public void close() {
        ScheduledExecutorService made = thread;
        if (made != null) {
            made.shutdownNow();
        }
    }
}
