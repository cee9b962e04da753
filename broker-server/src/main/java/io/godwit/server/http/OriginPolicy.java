package io.godwit.server.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which pages may open a WebSocket: a browser lets any page do so and says in {@code Origin} which
 * one it is (RFC 6455, 10.2). Programs that are no browsers send none and are let in. A page of the
 * host that it asks is let in when that host is certainly this one: under TLS, where the
 * certificate has shown it, or by one of {@link OwnNames}.
 */
public final class OriginPolicy {
    private static final String ANY = "*";

    private final Set<String> allowed;
    private final OwnNames own;
    private final boolean encrypted;

    /**
     * @param allowed origins, or {@code *}; what is no origin allows nothing
     * @param encrypted whether TLS is below
     */
    public OriginPolicy(List<String> allowed, OwnNames own, boolean encrypted) {
        this.allowed =
                allowed.stream()
                        .map(each -> each.equals(ANY) ? ANY : canonical(each))
                        .filter(Objects::nonNull)
                        .collect(Collectors.toUnmodifiableSet());
        this.own = own;
        this.encrypted = encrypted;
    }

    public boolean allows(HttpHeaders request) {
        List<String> origins = request.getAll(HttpHeaderNames.ORIGIN);
        if (origins.isEmpty() || allowed.contains(ANY)) {
            return true;
        }
        URI origin = origins.size() == 1 ? uri(origins.getFirst()) : null;
        return origin != null
                && (allowed.contains(canonical(origin)) || isOfOwnHost(origin, request));
    }

    private boolean isOfOwnHost(URI origin, HttpHeaders request) {
        List<String> hosts = request.getAll(HttpHeaderNames.HOST);
        HostName asked = hosts.size() == 1 ? HostName.parse(hosts.getFirst()) : null;
        return asked != null
                && asked.equals(HostName.parse(origin.getRawAuthority()))
                && (encrypted || own.include(asked));
    }

    /**
     * The origin as browsers write it: {@code https://app.example.org}, {@code http://app:3000}.
     *
     * @return null when the text is no origin
     */
    static @Nullable String canonical(String text) {
        URI uri = uri(text);
        return uri == null ? null : canonical(uri);
    }

    private static String canonical(URI origin) {
        String scheme = origin.getScheme().toLowerCase(Locale.ROOT);
        String host = origin.getHost().toLowerCase(Locale.ROOT);
        int port = origin.getPort();
        boolean isUsual =
                port < 0
                        || port == 80 && scheme.equals("http")
                        || port == 443 && scheme.equals("https");
        return scheme + "://" + host + (isUsual ? "" : ":" + port);
    }

    /** Null when it is no scheme, host and port, or has more than these. */
    private static @Nullable URI uri(String text) {
        try {
            URI uri = new URI(text);
            boolean isOrigin =
                    uri.getScheme() != null
                            && uri.getHost() != null
                            && uri.getRawUserInfo() == null
                            && uri.getRawPath().isEmpty()
                            && uri.getRawQuery() == null
                            && uri.getRawFragment() == null;
            return isOrigin ? uri : null;
        } catch (URISyntaxException e) {
            return null; // "null" too: a page that nobody can tell
        }
    }
}
