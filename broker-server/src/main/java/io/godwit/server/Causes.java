package io.godwit.server;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.godwit.core.failure.FileCauses;
import java.io.EOFException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.PortUnreachableException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.file.FileSystemException;
import java.security.cert.CertificateException;
import java.util.Locale;
import javax.net.ssl.SSLException;

/** Says in plain English why a file or an address can't be used, without the name of a class. */
public final class Causes {
    private Causes() {}

    /**
     * The cause, to follow "can't be read: ". It names a file only when the exception is about
     * another one than the caller would think of.
     */
    public static String of(Throwable cause) {
        return switch (cause) {
            case UnknownHostException e -> "the host name is unknown";
            case NoRouteToHostException e -> "there is no route to the host";
            case PortUnreachableException e -> "the port is unreachable";
            case BindException e -> text(e, "the address is in use");
            case ConnectException e -> text(e, "connection refused");
            case SocketTimeoutException e -> "no answer in time";
            case JsonProcessingException e ->
                    "it is not valid JSON: " + FileCauses.text(e.getOriginalMessage(), "unknown");
            case EOFException e -> "the connection was closed";
            case SSLException e -> ofTls(e);
            default -> FileCauses.of(cause);
        };
    }

    /** The cause for which an address can't be listened on. */
    public static String ofBind(Throwable cause) {
        String lower = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
        if (lower.contains("in use")) return "the address is in use; is another broker running?";
        if (lower.contains("permission denied")) {
            return "not permitted; ports below 1024 require privileges";
        }
        if (lower.contains("assign requested address")) return "this machine has no such address";
        return of(cause);
    }

    /** A failure's cause with the file that it is about, where it names one. */
    public static String withFile(Throwable cause) {
        String file = cause instanceof FileSystemException e ? e.getFile() : null;
        return file == null ? of(cause) : file + ": " + of(cause);
    }

    /** The reason of a failed TLS handshake stands at its innermost cause. */
    private static String ofTls(SSLException e) {
        Throwable inner = e;
        for (Throwable each = e; each != null; each = each.getCause()) {
            if (each instanceof CertificateException || each instanceof SSLException) inner = each;
        }
        String text = String.valueOf(inner.getMessage());
        if (text.contains("unable to find valid certification path")) {
            return "its certificate is not signed by a certificate authority that is trusted here";
        }
        if (text.contains("Unsupported or unrecognized SSL message")) {
            return "it does not speak TLS";
        }
        return text(inner, "the TLS handshake failed");
    }

    private static String text(Throwable cause, String otherwise) {
        return FileCauses.text(cause.getMessage(), otherwise);
    }
}
