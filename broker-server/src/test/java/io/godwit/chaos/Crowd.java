package io.godwit.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** All clients of a run, moved by the thread that calls. */
final class Crowd implements AutoCloseable {
    private static final long STEP_MS = 2;
    private static final long CHECK_MS = 25;

    private final Scene scene;
    private final List<Client> clients;
    private final Selector selector;

    /** Where each node listens; null while it is not there. */
    private final @Nullable InetSocketAddress[] nodes;

    Crowd(Scene scene, List<Client> clients) {
        this(scene, clients, 1);
    }

    /**
     * @param nodes to each of which any client may connect, each time to another one
     */
    Crowd(Scene scene, List<Client> clients, int nodes) {
        this.nodes = new InetSocketAddress[nodes];
        this.scene = scene;
        this.clients = clients;
        try {
            selector = Selector.open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static long nowMs() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    /** A broker listens there; the clients come. */
    void brokerIs(InetSocketAddress at) {
        nodeIs(0, at);
    }

    /** A node listens there; clients come, and some go. */
    void nodeIs(int node, InetSocketAddress at) {
        nodes[node] = at;
        clients.forEach(client -> client.nodeIsLeaving(null));
        clients.forEach(client -> client.roundBegins(nowMs()));
    }

    /** The broker has died: the clients read what it had still sent, and notice. */
    void brokerIsGone() {
        nodeIsGone(0);
    }

    /** A node stops in order; {@link #nodeIsGone} follows. */
    void nodeIsLeaving(int node) {
        clients.forEach(client -> client.nodeIsLeaving(node));
    }

    /** A node has died: clients there read what it had still sent, and notice. */
    void nodeIsGone(int node) {
        nodes[node] = null;
        step(0);
        clients.forEach(client -> client.nodeHasEnded(node));
        clients.stream().filter(client -> client.isAt(node)).forEach(Client::cut);
    }

    /** The network fails for everyone at once; the broker knows nothing of it. */
    void cut() {
        clients.forEach(Client::cut);
        clients.forEach(client -> client.roundBegins(nowMs()));
    }

    void runFor(long ms) {
        runUntil(() -> false, ms);
    }

    /**
     * @return whether it came true in time
     */
    boolean runUntil(BooleanSupplier wanted, long limitMs) {
        long end = nowMs() + limitMs;
        while (nowMs() < end) {
            if (wanted.getAsBoolean()) {
                return true;
            }
            step(STEP_MS);
        }
        return wanted.getAsBoolean();
    }

    private void step(long waitMs) {
        try {
            if (waitMs == 0) {
                selector.selectNow();
            } else {
                selector.select(waitMs);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        long now = nowMs();
        for (SelectionKey key : selector.selectedKeys()) {
            if (key.isValid() && key.isReadable()) {
                ((Client) key.attachment()).onReadable(now);
            }
        }
        selector.selectedKeys().clear();
        for (Client client : clients) {
            client.tick(selector, nodes, now);
        }
    }

    int unacknowledged() {
        return clients.stream().mapToInt(client -> client.outbound().unacknowledged()).sum();
    }

    /**
     * Everyone comes, nobody publishes, everything is acknowledged. False when something is still
     * missing or under way after {@code quietMs} without progress.
     */
    boolean settle(long quietMs) {
        clients.forEach(client -> client.settle(nowMs()));
        int best = Integer.MAX_VALUE;
        long deadline = nowMs() + quietMs;
        while (nowMs() < deadline) {
            runFor(CHECK_MS);
            int left = unsettled() + scene.checker().missing();
            if (left == 0) {
                return true;
            }
            if (left < best) {
                best = left;
                deadline = nowMs() + quietMs;
            }
        }
        return false;
    }

    private int unsettled() {
        return (int) clients.stream().filter(client -> !client.settled()).count();
    }

    /** Says what is still under way. */
    void reportUnsettled() {
        clients.stream()
                .filter(client -> !client.settled())
                .forEach(client ->
                        scene.checker()
                                .report(
                                        Violation.Kind.STUCK,
                                        client.name(),
                                        null,
                                        client.unsettled()));
    }

    @Override
    public void close() {
        clients.forEach(Client::cut);
        try {
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
