package io.godwit.server.tls;

import io.godwit.server.StartFailed;
import io.godwit.server.config.TlsConfig;
import io.godwit.server.reload.FileMemory;
import io.godwit.server.reload.ReloadResult;
import io.godwit.server.reload.Reloadable;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.ReferenceCountUtil;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS of one listener, whose files may change while it runs. A new set of files is made whole
 * before new handshakes use it; a mistake in it keeps the old set.
 *
 * <p><i>Concurrency.</i> Handshakes read {@code current} on any event loop; the reload service's
 * thread replaces it, then gives the old set back. A loop that has just read the old one finds it
 * given back, and reads again.
 */
public final class ListenerTls implements Reloadable {
    private static final Logger log = LoggerFactory.getLogger(ListenerTls.class);

    /** Bytes of heap for each of a file of revocation lists: 9 to 12 were measured. */
    private static final int LIST_HEAP_FACTOR = 12;

    private final String listener;
    private final TlsConfig config;
    private final FileMemory memory;
    private final LongAdder failures = new LongAdder();
    private volatile TlsSet current;
    private volatile Runnable onLists = () -> {};

    /** Guarded by this. */
    private boolean isReleased;

    private ListenerTls(String listener, TlsConfig config, FileMemory memory, TlsSet first) {
        this.listener = listener;
        this.config = config;
        this.memory = memory;
        this.current = first;
    }

    /**
     * Loads the files.
     *
     * @param listener as in {@code listeners.<name>}
     * @param memory counts revocation lists, and refuses too many
     * @throws StartFailed names the file, and what is wrong with it
     */
    public static ListenerTls load(
            String listener, TlsConfig config, Instant now, FileMemory memory) throws StartFailed {
        TlsFiles files = TlsFiles.read(listener, config);
        TlsSet first = make(listener, config, files, now, memory);
        ListenerTls tls = new ListenerTls(listener, config, memory, first);
        tls.warnOfOldLists(now);
        return tls;
    }

    private static TlsSet make(
            String listener, TlsConfig config, TlsFiles files, Instant now, FileMemory memory)
            throws StartFailed {
        String part = "listeners." + listener + ".tls.client-crl";
        long bytes = files.listBytes() * LIST_HEAP_FACTOR;
        String tooLarge = memory.mistake(part, bytes);
        if (tooLarge != null) {
            throw new StartFailed(part + ": " + tooLarge);
        }
        TlsSet made = TlsSet.make(listener, config, files, now);
        memory.set(part, bytes);
        return made;
    }

    /**
     * Has a task run after each change of authorities or revocation lists, on the reload thread.
     */
    public void onLists(Runnable task) {
        onLists = task;
    }

    // ---------------------------------------------------------------- handshakes

    /** Whether the handler depends on the host that a client asks for. */
    public boolean hasNames() {
        return !config.names().isEmpty();
    }

    /**
     * Makes the handler of one connection; put it into a pipeline, or release its engine.
     *
     * @param host that the client asks for, in small letters; null when it names none
     */
    public SslHandler newHandler(ByteBufAllocator allocator, @Nullable String host) {
        while (true) {
            SslContext context = current.context(host);
            try {
                ReferenceCountUtil.retain(context);
            } catch (IllegalReferenceCountException replaced) {
                continue;
            }
            try {
                return context.newHandler(allocator);
            } finally {
                ReferenceCountUtil.release(context); // the handler's engine holds it now
            }
        }
    }

    // ---------------------------------------------------------------- clients' certificates

    /** Whether connections must be found again when revocation lists change. */
    public boolean revokes() {
        return !config.clientCrl().isEmpty();
    }

    /** Whether somebody wants to know what a client's certificate says. */
    public boolean looksAtClients() {
        return revokes() || config.identity().source() != TlsConfig.IdentitySource.NONE;
    }

    /**
     * Says why a client is refused whose handshake has succeeded, perhaps as the continuation of an
     * earlier one that nobody checked again; null when it is not.
     *
     * @param chain as the client sent it, its own certificate first
     */
    public @Nullable String refusal(X509Certificate[] chain) {
        RevocationLists lists = current.lists();
        if (lists == null) {
            return null;
        }
        String refusal = lists.refusal(chain[0], new Date());
        return refusal == null && isRevoked(chain) ? RevocationLists.REVOKED : refusal;
    }

    /** Whether any of a client's certificates stands in a list now. */
    public boolean isRevoked(X509Certificate[] chain) {
        RevocationLists lists = current.lists();
        if (lists == null) {
            return false;
        }
        for (X509Certificate each : chain) {
            if (lists.isRevoked(each)) {
                return true;
            }
        }
        return false;
    }

    /** The name that tls.identity takes from a client's own certificate; null when it has none. */
    public @Nullable String clientName(X509Certificate certificate) {
        return CertificateNames.of(certificate, config.identity().source());
    }

    // ---------------------------------------------------------------- reload

    @Override
    public String name() {
        return "listeners." + listener + ".tls";
    }

    @Override
    public ReloadResult reload() {
        try {
            TlsFiles files = TlsFiles.read(listener, config);
            List<String> changed = differing(current.digests(), files.digests());
            if (changed.isEmpty()) {
                return ReloadResult.unchanged();
            }
            Instant now = Instant.now();
            TlsSet next = make(listener, config, files, now, memory);
            if (!replace(next)) {
                return ReloadResult.unchanged();
            }
            warnOfOldLists(now);
            if (revokes()) {
                onLists.run();
            }
            return ReloadResult.changed(
                    String.join(", ", changed)
                            + (changed.size() == 1 ? " is new" : " are new")
                            + "; the certificate is valid until "
                            + next.expires());
        } catch (StartFailed e) {
            failures.increment();
            return ReloadResult.failed(String.valueOf(e.getMessage()));
        }
    }

    /** The files of which one has other content than the other; both have the same keys. */
    private static List<String> differing(Map<String, String> before, Map<String, String> after) {
        TreeSet<String> files = new TreeSet<>();
        after.forEach((file, digest) -> {
            if (!digest.equals(before.get(file))) {
                files.add(file.substring(file.indexOf(": ") + 2));
            }
        });
        return new ArrayList<>(files);
    }

    private boolean replace(TlsSet next) {
        TlsSet old;
        synchronized (this) {
            if (isReleased) {
                next.release();
                return false;
            }
            old = current;
            current = next;
        }
        old.release();
        return true;
    }

    private void warnOfOldLists(Instant now) {
        RevocationLists lists = current.lists();
        if (lists != null) {
            lists.outOfDate(Date.from(now))
                    .forEach(each -> log.warn("listeners.{}.tls.client-crl: {}", listener, each));
        }
    }

    // ---------------------------------------------------------------- state

    /** Seconds until the first of the broker's own certificates expires; negative after that. */
    public long expirySeconds(Instant now) {
        return Duration.between(now, current.expires()).toSeconds();
    }

    /** A digest of the authorities and revocation lists of clients that are in use; empty: none. */
    public String authorities() {
        return current.authorities();
    }

    /** Returns what clients that ask for no host get now. */
    SslContext context() {
        return current.context(null);
    }

    /** How often new files were not used because of a mistake. */
    public long failures() {
        return failures.sum();
    }

    /** Gives everything back. Call when no handshake can begin any more. */
    public synchronized void release() {
        if (!isReleased) {
            isReleased = true;
            current.release();
        }
    }
}
