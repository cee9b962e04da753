package io.godwit.server.listener;

import io.godwit.core.failure.FileCauses;
import io.netty.handler.ssl.NotSslRecordException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Explains in plain words why a TLS handshake failed; both TLS providers only have texts. */
final class TlsFailure {
    private static final int SHOWN_MAX = 200;

    private TlsFailure() {}

    /** One clause for a log line, such as {@code the client's certificate has expired}. */
    static String explain(Throwable failure) {
        if (find(failure, NotSslRecordException.class)) {
            return "the first bytes are not TLS";
        }
        StringBuilder texts = new StringBuilder();
        for (Throwable each = failure; each != null; each = each.getCause()) {
            texts.append(each.getMessage()).append(' ');
        }
        String text = texts.toString().toLowerCase(Locale.ROOT).replace('_', ' ');
        String known = known(text);
        return known != null ? known : shown(failure.getMessage());
    }

    private static @Nullable String known(String text) {
        if (text.contains("the certificate was revoked")) {
            return "the certificate was revoked";
        }
        if (text.contains("tls.client-crl has no list")) {
            return "tls.client-crl has no list of the certificate's authority";
        }
        if (text.contains("revocation list of its authority is out of date")) {
            return "the revocation list of its authority is out of date";
        }
        if (text.contains("certificate expired") || text.contains("notafter")) {
            return "the certificate has expired";
        }
        if (text.contains("certificate unknown")) {
            return "the client does not accept the broker's certificate";
        }
        if (text.contains("unknown ca")
                || text.contains("unable to find valid certification path")) {
            return "the certificate is of an unknown certificate authority";
        }
        if (text.contains("bad certificate") || text.contains("certificate verify failed")) {
            return "the certificate is not valid";
        }
        if (text.contains("empty client certificate")
                || text.contains("empty certificate chain")
                || text.contains("peer did not return a certificate")) {
            return "the client sent no certificate, and tls.client-auth asks for one";
        }
        if (text.contains("unsupported protocol")
                || text.contains("protocol version")
                || text.contains("wrong version number")) {
            return "no TLS version that both sides offer";
        }
        if (text.contains("no shared cipher") || text.contains("no cipher suites in common")) {
            return "no cipher suite that both sides offer";
        }
        if (text.contains("closedchannel") || text.contains("connection reset")) {
            return "the client closed the connection";
        }
        return null;
    }

    private static boolean find(@Nullable Throwable failure, Class<?> type) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (type.isInstance(each)) {
                return true;
            }
        }
        return false;
    }

    private static String shown(@Nullable String message) {
        String text = FileCauses.text(message, "no cause is known").replaceAll("[^ -~]", "?");
        return text.length() <= SHOWN_MAX ? text : text.substring(0, SHOWN_MAX) + "...";
    }
}
