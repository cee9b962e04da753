package io.godwit.extensions.http;

import io.godwit.extension.HealthReport;
import java.net.URI;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Says which server is asked next. They take turns; one whose last requests have failed is asked
 * once a second until it answers, and makes the extension degraded.
 */
final class AuthServers {
    /** Requests in a row that fail before a server is left out. */
    static final int FAILURES_MAX = 5;

    private static final long TRY_NANOS = 1_000_000_000;

    /** Counts the failures of one server. */
    static final class Server {
        private final URI url;
        private int failures;
        private long askedNanos;
        private String lastFailure = "";

        private Server(URI url) {
            this.url = url;
        }

        URI url() {
            return url;
        }

        private boolean isDown() {
            return failures >= FAILURES_MAX;
        }

        /** Names it without its query, which may have a secret. */
        @Override
        public String toString() {
            return url.getScheme() + "://" + url.getRawAuthority() + url.getRawPath();
        }
    }

    private final List<Server> all;
    private final HealthReport health;
    private final LongSupplier nanoTime;
    private int turn;

    AuthServers(List<URI> urls, HealthReport health, LongSupplier nanoTime) {
        this.all = urls.stream().map(Server::new).toList();
        this.health = health;
        this.nanoTime = nanoTime;
    }

    /**
     * Takes the next server.
     *
     * @param failed the one that has just failed, and is not taken again while there are others
     */
    synchronized Server next(@Nullable Server failed) {
        long now = nanoTime.getAsLong();
        Server next = null;
        for (int i = 0; i < all.size(); i++) {
            Server each = all.get((turn + i) % all.size());
            if (each == failed && all.size() > 1) continue;
            if (next == null) next = each;
            if (!each.isDown() || now - each.askedNanos >= TRY_NANOS) {
                next = each;
                break;
            }
        }
        if (next == null) throw new IllegalStateException("there is no server");
        turn = (all.indexOf(next) + 1) % all.size();
        next.askedNanos = now;
        return next;
    }

    synchronized void onAnswer(Server server) {
        boolean wasDown = server.isDown();
        server.failures = 0;
        if (wasDown) report();
    }

    synchronized void onFailure(Server server, String reason) {
        boolean wasDown = server.isDown();
        server.failures = Math.min(server.failures + 1, FAILURES_MAX);
        server.lastFailure = reason;
        if (!wasDown && server.isDown()) report();
    }

    private void report() {
        List<Server> down = all.stream().filter(Server::isDown).toList();
        if (down.isEmpty()) {
            health.healthy();
            return;
        }
        health.degraded(
                down.size()
                        + " of "
                        + all.size()
                        + " URLs fail: "
                        + down.get(0)
                        + ": "
                        + down.get(0).lastFailure);
    }
}
