package io.godwit.server.tls;

import io.godwit.server.StartFailed;
import io.godwit.server.config.TlsConfig;
import io.netty.handler.ssl.SslContext;
import io.netty.util.ReferenceCountUtil;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Holds what one listener uses for handshakes: contexts, and the revocation lists that stand in
 * them. Made whole, never changed.
 */
final class TlsSet {
    private final SslContext standard;
    private final Map<String, SslContext> named;
    private final @Nullable RevocationLists lists;
    private final Map<String, String> digests;
    private final String authorities;
    private final Instant expires;

    private TlsSet(
            SslContext standard,
            Map<String, SslContext> named,
            @Nullable RevocationLists lists,
            Map<String, String> digests,
            String authorities,
            Instant expires) {
        this.standard = standard;
        this.named = named;
        this.lists = lists;
        this.digests = digests;
        this.authorities = authorities;
        this.expires = expires;
    }

    /**
     * @param listener as in {@code listeners.<name>}
     * @throws StartFailed names the file, and what is wrong with it
     */
    static TlsSet make(String listener, TlsConfig config, TlsFiles files, Instant now)
            throws StartFailed {
        TlsContexts contexts = new TlsContexts(listener, config, files);
        Map<String, SslContext> named = new HashMap<>();
        SslContext standard = contexts.make(files.standard(), now);
        boolean isWhole = false;
        try {
            Instant expires = expiry(files.standard());
            for (Map.Entry<String, TlsFiles.Pair> each : files.names().entrySet()) {
                named.put(each.getKey(), contexts.make(each.getValue(), now));
                Instant own = expiry(each.getValue());
                expires = own.isBefore(expires) ? own : expires;
            }
            isWhole = true;
            return new TlsSet(
                    standard,
                    named,
                    contexts.lists(),
                    files.digests(),
                    files.authorities(),
                    expires);
        } finally {
            if (!isWhole) {
                release(standard, named);
            }
        }
    }

    private static Instant expiry(TlsFiles.Pair pair) throws StartFailed {
        X509Certificate certificate = pair.certificate().certificates()[0];
        return certificate.getNotAfter().toInstant();
    }

    /**
     * The context for a client that asks for a host.
     *
     * @param host in small letters; null when the client names none
     */
    SslContext context(@Nullable String host) {
        if (host == null || named.isEmpty()) {
            return standard;
        }
        SslContext found = named.get(host);
        int dot = host.indexOf('.');
        if (found == null && dot > 0) {
            found = named.get("*" + host.substring(dot));
        }
        return found == null ? standard : found;
    }

    @Nullable RevocationLists lists() {
        return lists;
    }

    /** See {@link TlsFiles#digests}. */
    Map<String, String> digests() {
        return digests;
    }

    /** See {@link TlsFiles#authorities}. */
    String authorities() {
        return authorities;
    }

    /** When the first of the broker's own certificates expires. */
    Instant expires() {
        return expires;
    }

    /** Gives the contexts back; connections that still use them keep them until they end. */
    void release() {
        release(standard, named);
    }

    private static void release(SslContext standard, Map<String, SslContext> named) {
        ReferenceCountUtil.release(standard);
        named.values().forEach(ReferenceCountUtil::release);
    }
}
